import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SessionFiles } from "../../runner/index.js";
import { packageFolder } from "../../runner/support/package-folder.js";
import { makeSource } from "../../test/helpers/sources.js";
import type { Bench, Line } from "../line.js";
import { appendEvents } from "../many-events.js";
import { PlayedModel } from "../played-model.js";
import { pythonFiles } from "../python-files.js";
import { answerTask, answerText, environmentOf, stage, writeSeed } from "../staged.js";
import { spreadOf } from "../statistics.js";
import { calls, nothingLearned, submitted, verdict } from "../turns.js";

const events = 100_000;

export const memory: Line = {
  name: "memory",
  async measure(bench) {
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(200));
    const files = await stage(bench, source, writeSeed(bench, 1));
    appendEvents(files.paths.events, events);
    const summaries: number[] = [];
    for (let turn = 0; turn < bench.times(5); turn += 1) summaries.push(await summary(files));
    const peak = spreadOf([await peakOfRun(bench, files, source)]);
    const took = spreadOf(summaries);
    return [
      {
        what: "brain memory, a session of 100,000 events",
        unit: "MB",
        value: peak.median,
        bound: 150,
        of: { "most of a whole run": peak },
      },
      {
        what: "summary of a session of 100,000 events",
        unit: "s",
        value: took.median / 1000,
        bound: 2,
        of: { "in a new process": took },
      },
    ];
  },
};

async function summary({ paths }: SessionFiles): Promise<number> {
  const program = `
    import { summarise } from ${JSON.stringify(join(packageFolder, "dist/runner/session/summary.js"))};
    const began = performance.now();
    const { events } = await summarise(${JSON.stringify(paths.events)}, null);
    if (events < ${events}) throw new Error("events are missing");
    console.log(performance.now() - began);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return Number(stdout);
}

/** The session's one task, worked through by a process of its own that has all those events before it. */
async function peakOfRun(bench: Bench, files: SessionFiles, source: string): Promise<number> {
  const { module } = answerTask(1);
  await using model = await PlayedModel.start({
    turn: ({ role, index }) => {
      if (role === "self_improve") return nothingLearned;
      if (role === "evaluator") return verdict(true);
      const write = calls(["write_file", { path: module, content: answerText(1) }]);
      return index === 0 ? write : submitted(`${module}:answer`);
    },
  });
  const report = join(bench.folder, "peak");
  const preload = ["--import", join(packageFolder, "bench/peak-memory.js")];
  const run = [join(packageFolder, "dist/cli/main.js"), "run", "--session", files.id, source];
  const child = spawn(process.execPath, [...preload, ...run], {
    env: { ...environmentOf(bench.settings, model.baseUrl), TILTH_BENCH_PEAK: report },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`tilth run ended with ${code}: ${said}`);
  return Number(readFileSync(report, "utf8")) / 1024;
}
