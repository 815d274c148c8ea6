import { awakeMs } from "../../base/awake.js";
import type { TreeId } from "../../base/ids.js";
import { type BaseSuite, baseOfRuns } from "../../checks/suite/base.js";
import { saidOf } from "../../checks/suite/said.js";
import type { Checks } from "../../hands/ports/checks/checks.js";
import type { EventSink, Payload, TaskSpan } from "../../session/log/events.js";
import type { SuiteSettings } from "../../settings/settings.js";

export interface SuiteToBase {
  readonly checks: Pick<Checks, "suite">;
  readonly tree: TreeId;
  /** paths of staged tests, which do not belong to the project's own */
  readonly staged: readonly string[];
  readonly settings: SuiteSettings;
  /** key of the environment in force */
  readonly environment: string | null;
  readonly events: EventSink;
  readonly span?: TaskSpan;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A suite that takes longer is run once: a second run would cost more than it tells. */
const shortMs = 30_000;
const sayEveryMs = 10_000;

/** Runs the project's own tests on a tree that this task has not changed yet, logs the results and reports them. */
export async function baseSuite(of: SuiteToBase): Promise<void> {
  const { settings, tree, environment, span, events } = of;
  const found = await tried(of);
  const at: Payload<"base_suite">["at"] = span === undefined ? "staging" : "task";
  events.append("base_suite", { ...span, tree, at, environment, ...found });
  for (const line of saidOf(found, settings.seconds)) of.say(line);
}

/** Also measures how long the tests themselves took: later runs are held against it. */
async function tried(of: SuiteToBase): Promise<BaseSuite & { readonly ms: number }> {
  const { tree, staged: leftOut, settings, signal } = of;
  const began = awakeMs();
  await using suite = of.span === undefined ? of.checks.suite(tree) : of.checks.suite();
  const left = () => settings.seconds * 1000 - (awakeMs() - began);
  let sayAfter = began + sayEveryMs;
  const onProgress = (done: number, all: number) => {
    if (awakeMs() < sayAfter) return;
    sayAfter = awakeMs() + sayEveryMs;
    of.say(`running your own tests: ${done} of ${all}`);
  };
  const first = await suite.run({ tree, files: null, leftOut, budgetMs: left(), onProgress }, signal);
  const isShort = first.results.length > 0 && first.ms <= shortMs && first.ms < left() / 2;
  const second = isShort ? await suite.run({ tree, files: null, leftOut, budgetMs: left() }, signal) : null;
  const base = baseOfRuns(first, second);
  return { ...base, ms: Math.round(first.ms + (base.runs > 1 ? (second?.ms ?? 0) : 0)) };
}
