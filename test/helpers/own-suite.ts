import type { TreeId } from "../../runner/base/ids.js";
import { type Baseline, SuiteSoFar } from "../../runner/checks/suite/baseline.js";
import { together } from "../../runner/checks/suite/findings.js";
import type { Checks } from "../../runner/hands/ports/checks/checks.js";
import type { Clerk } from "../../runner/hands/ports/clerk.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import { baseSuite } from "../../runner/loop/suite/base-suite.js";
import type { SuiteQuestion } from "../../runner/loop/suite/question.js";
import { SuiteTrial } from "../../runner/loop/suite/trial.js";
import type { Payload, TilthEvent } from "../../runner/session/log/events.js";
import type { CheckWorld, Files } from "./check-world.js";

const never = new AbortController().signal;
const staged = ["tests/test_t001_it.py"];

export interface Based {
  readonly event: Payload<"base_suite">;
  readonly said: readonly string[];
  readonly baseline: Baseline;
}

/** Runs the project's own tests on a tree, as staging does. */
export async function basedOn(checks: Pick<Checks, "suite">, tree: TreeId, seconds = 60): Promise<Based> {
  const soFar = new SuiteSoFar();
  const said: string[] = [];
  const events: TilthEvent[] = [];
  await baseSuite({
    ...{ checks, tree, staged, settings: { mode: "hold", seconds }, environment: null, signal: never },
    events: {
      append: (type, payload) => {
        events.push({ v: 1, seq: 0, ts: new Date(0).toISOString(), type, payload } as TilthEvent);
      },
    },
    say: (line) => said.push(line),
  });
  for (const event of events) soFar.add(event);
  const [event] = events;
  if (event?.type !== "base_suite" || soFar.baseline === null) throw new Error("nothing was based");
  return { event: event.payload, said, baseline: soFar.baseline };
}

/** Tries a change on a project and sorts the names of its tests by the findings. */
export class OwnSuite {
  private constructor(
    private readonly world: CheckWorld,
    private readonly checks: Checks,
    private readonly files: Files,
    readonly last: TreeId,
    readonly based: Based,
  ) {}

  static async of(world: CheckWorld, checks: Checks, files: Files): Promise<OwnSuite> {
    const last = await world.tree(files);
    return new OwnSuite(world, checks, files, last, await basedOn(checks, last));
  }

  async after(change: Files, more: Partial<SuiteQuestion> = {}) {
    const tree = await this.world.tree(change, this.files);
    const question: SuiteQuestion = {
      ...{ baseline: this.based.baseline, last: this.last, tree, staged, taskText: "", added: [], seen: [], first: [] },
      ...{ sameEnvironment: true, seconds: 60 },
      changes: await this.world.changes(this.last, tree),
      ...more,
    };
    const mixed: Clerk["mixed"] = (one, other, paths) => this.world.mixed(one, other, paths);
    const hands = {
      checks: this.checks,
      clerk: { mixed, changes: (one: TreeId, other: TreeId) => this.world.changes(one, other) },
    } as unknown as Pick<Hands, "clerk" | "checks">;
    await using trial = new SuiteTrial(hands, question, never);
    const parts = await trial.parts();
    const first = together(await trial.run(parts.first), await trial.missing());
    return { parts, findings: together(first, await trial.run(parts.rest)) };
  }
}
