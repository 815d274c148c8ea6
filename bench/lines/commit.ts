import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { runSession, type TilthEvent } from "../../runner/index.js";
import { makeSource } from "../../test/helpers/sources.js";
import type { Line } from "../line.js";
import { PlayedModel } from "../played-model.js";
import { pythonFiles } from "../python-files.js";
import { answerTask, answerText, stage, writeSeed } from "../staged.js";
import { spreadOf } from "../statistics.js";
import { calls, nothingLearned, submitted, verdict } from "../turns.js";

/** Long enough for the next check's container to be there, because starting it is no part of a commit. */
const thinkMs = 400;

export const commit: Line = {
  name: "commit",
  async measure(bench) {
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(2000));
    const tasks = bench.times(20);
    const files = await stage(bench, source, writeSeed(bench, tasks));
    await using model = await PlayedModel.start({
      thinkMs,
      turn: ({ role, index }) => {
        if (role === "self_improve") return nothingLearned;
        if (role === "evaluator") return verdict(true);
        const { module, number } = answerTask(Math.floor(index / 2) + 1);
        const write = calls(["write_file", { path: module, content: answerText(number) }]);
        return index % 2 === 0 ? write : submitted(`${module}:answer`);
      },
    });
    const settings = { ...bench.settings, endpoints: model.endpoints };
    const times = new CommitTimes();
    const end = await runSession({
      settings,
      files,
      trustSource: false,
      signal: bench.signal,
      say: () => undefined,
      onEvent: (event) => times.see(event),
    });
    if (end.stop.reason !== "all_done") throw new Error(`the session stopped: ${end.stop.reason} ${end.stop.detail}`);
    const spread = spreadOf(times.all);
    const of = { "accept to commit": spread };
    return [
      { what: "accept → commit in the source, 2,000 files, p50", unit: "ms", value: spread.median, bound: 50, of },
    ];
  },
};

/**
 * Times from the accept to the commit, both on record, without the time that the model of self-improve takes in
 * between. An accept counts once the counter-check has passed too.
 */
class CommitTimes {
  readonly all: number[] = [];
  private acceptedAt = 0;
  private askedAt = 0;
  private modelMs = 0;

  see({ type, payload }: TilthEvent): void {
    const now = performance.now();
    if (type === "evaluator_verdict" || type === "counter_check") this.acceptedAt = now;
    if (type === "prompt_assembled" && payload.role === "self_improve") this.askedAt = now;
    if (type === "model_call" && payload.phase === "self_improve") this.modelMs = now - this.askedAt;
    if (type === "commit") this.all.push(now - this.acceptedAt - this.modelMs);
  }
}
