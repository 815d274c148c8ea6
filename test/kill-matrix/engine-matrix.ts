import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { gitLine } from "../helpers/fake-git.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";
import type { PointReport } from "./points.js";

const killedAt = join(packageFolder, "test", "kill-matrix", "killed-at.js");
const tasks = 3;

/**
 * Kills `tilth run` itself on the real engine: a task accepted at once, one after a rejection, one in the run after it
 * failed.
 */
export async function engineMatrix(every: number): Promise<PointReport> {
  await using model = await startModel({ worker: workerTurn, evaluator: evaluatorTurn });
  await using stage = await CliStage.open(Tilth.endpoint(model), tasks);
  const session = new StoredSession(stage, await stage.prepared());
  const log = join(stage.tilth.root, "steps");
  writeFileSync(log, "");
  await session.toTheEnd({ KILLED_LOG: log });
  const wanted = await session.ended();
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  const wrong: string[] = [];
  let points = 0;
  for (let at = every; at <= lines.length; at += every) {
    points += 1;
    await session.restore();
    const killed = await session.toTheEnd({ KILLED_AT: String(at) });
    const seen = await session.ended();
    if (!killed) wrong.push(`step ${at} (${lines[at - 1]}): it was not killed`);
    else if (seen !== wanted) wrong.push(`step ${at} (${lines[at - 1]}): ${seen}`);
    process.stderr.write(killed && seen === wanted ? "." : "F");
  }
  process.stderr.write("\n");
  return { what: "tilth run, on the engine", points, wrong };
}

/** A prepared session, kept as it was before it was run. */
class StoredSession {
  readonly #kept = mkdtempSync(join(tmpdir(), "tilth-kept-"));

  constructor(
    private readonly stage: CliStage,
    private readonly id: string,
  ) {
    for (const place of this.#places()) copy(place, join(this.#kept, this.#nameOf(place)));
  }

  async restore(): Promise<void> {
    await this.stage.clearEngine();
    for (const place of this.#places()) {
      rmSync(place, { recursive: true, force: true });
      copy(join(this.#kept, this.#nameOf(place)), place);
    }
  }

  /** True if the first process was killed; other processes then go on until all is done. */
  async toTheEnd(env: Readonly<Record<string, string>>): Promise<boolean> {
    const { tilth } = this.stage;
    const first = await tilth.run(["run", "--session", this.id], { ...env, NODE_OPTIONS: `--import ${killedAt}` });
    for (let left = 3; left > 0 && this.#status() !== "all_done"; left -= 1)
      await tilth.run(this.#status() === "prepared" ? ["run", "--session", this.id] : ["resume", this.id]);
    return first.code === null;
  }

  async ended(): Promise<string> {
    const { source, tilth } = this.stage;
    const branch = `session/${this.id}`;
    const inside = { cwd: source };
    const verified = await tilth.run(["verify", this.id]);
    return JSON.stringify({
      status: this.#status(),
      prd: JSON.parse(this.#text("prd.json")).map(({ status }: { status: string }) => status),
      progress: this.#text("progress.txt"),
      commits: await gitLine(["rev-list", "--count", branch], inside),
      tree: await gitLine(["rev-parse", `${branch}^{tree}`], inside),
      differs: verified.code === 0 ? "" : verified.stdout,
      onEngine: await this.stage.onEngine(),
    });
  }

  #status(): string {
    return JSON.parse(this.#text("checkpoint.json")).status;
  }

  #text(name: string): string {
    return readFileSync(join(this.stage.tilth.home, "sessions", this.id, name), "utf8");
  }

  #places(): readonly string[] {
    return [this.stage.source, this.stage.tilth.home];
  }

  #nameOf(place: string): string {
    return place === this.stage.source ? "source" : "home";
  }
}

/** Copies with owners and times. */
function copy(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to]);
}

const shownTo = ({ messages }: ScriptedRequest): string => messages.map(({ content }) => String(content)).join("\n");
const taskIn = (shown: string): number => Number(/^1\. answer\(\) gives (\d+)$/m.exec(shown)?.[1]);
const wasRejected = (shown: string): boolean => shown.includes("THE-CONCERN");

/** Goes only by what it is shown, because another process may be asking each time. */
function workerTurn(request: ScriptedRequest): Turn {
  const shown = shownTo(request);
  const number = taskIn(shown);
  if (number === 3 && !shown.includes("T-003\tfailed")) return { quiet: "I am done." };
  const calls = doing(number).flatMap((turn) => ("calls" in turn ? turn.calls : []));
  const note = ["write_file", { path: "note.txt", content: "why\n" }] as const;
  return { calls: number === 2 && wasRejected(shown) ? [note, ...calls] : calls };
}

function evaluatorTurn(request: ScriptedRequest): Turn {
  const shown = shownTo(request);
  const accept = taskIn(shown) !== 2 || wasRejected(shown);
  const verdict = {
    verdict: accept ? "accept" : "reject",
    rejection_category: accept ? null : "weak_test",
    concern: accept ? "None." : "THE-CONCERN",
    evidence: [],
    next_step: accept ? null : "say why in note.txt",
  };
  return { calls: [["submit_verdict", verdict]] };
}
