import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { SessionFiles } from "../../runner/index.js";
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
    const took = spreadOf(summaries);
    const env = { ...process.env, TILTH_HOME: bench.settings.home };
    const exported = spreadOf([await peakOf(bench, ["export", files.id, "--otlp-json"], env)]);
    // as a killed run leaves it
    files.updateCheckpoint({ status: "running" });
    const resumed = await resume(bench, files);
    const peak = spreadOf([resumed.peakMb]);
    const first = spreadOf([resumed.firstRequestMs]);
    return [
      {
        what: "brain memory, a session of 100,000 events",
        unit: "MB",
        value: peak.median,
        bound: 150,
        of: { "most of a whole resume": peak },
      },
      {
        what: "memory of an export, a session of 100,000 events",
        unit: "MB",
        value: exported.median,
        bound: 150,
        of: { "most of a whole export": exported },
      },
      {
        what: "resume of a session of 100,000 events, to its first request",
        unit: "s",
        value: first.median / 1000,
        bound: 2,
        of: { "in a new process": first },
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
    import { summarise } from ${JSON.stringify(join(packageFolder, "dist/runner/session/summary/summary.js"))};
    const began = performance.now();
    const { events } = await summarise(${JSON.stringify(paths.events)}, null);
    if (events < ${events}) throw new Error("events are missing");
    console.log(performance.now() - began);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return Number(stdout);
}

interface Resumed {
  readonly peakMb: number;
  readonly firstRequestMs: number;
}

/** Works through the session's one task in a process of its own, which has all those events before it. */
async function resume(bench: Bench, files: SessionFiles): Promise<Resumed> {
  const { module } = answerTask(1);
  await using model = await PlayedModel.start({
    turn: ({ role, index }) => {
      if (role === "self_improve") return nothingLearned;
      if (role === "evaluator") return verdict(true);
      const write = calls(["write_file", { path: module, content: answerText(1) }]);
      return index === 0 ? write : submitted(`${module}:answer`);
    },
  });
  const began = performance.now();
  const peakMb = await peakOf(bench, ["resume", files.id], environmentOf(bench.settings, model.baseUrl));
  const [first] = model.of("worker");
  return {
    peakMb,
    firstRequestMs: (first?.arrivedAt ?? Number.NaN) - began,
  };
}

/** Runs a command line in a process of its own and gives the most memory it had. */
async function peakOf(bench: Bench, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const report = join(bench.folder, "peak");
  const preload = ["--import", join(packageFolder, "bench/peak-memory.js")];
  const child = spawn(process.execPath, [...preload, join(packageFolder, "dist/cli/main.js"), ...args], {
    env: { ...env, TILTH_BENCH_PEAK: report },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`tilth ${args.join(" ")} ended with ${code}: ${said}`);
  return Number(readFileSync(report, "utf8")) / 1024;
}
