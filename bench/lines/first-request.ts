import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../runner/base/package-folder.js";
import { makeSource } from "../../test/helpers/sources.js";
import type { Bench, Line } from "../line.js";
import { PlayedModel } from "../played-model.js";
import { pythonFiles } from "../python-files.js";
import { environmentOf, stage, writeSeed } from "../staged.js";
import { spreadOf } from "../statistics.js";

export const firstRequest: Line = {
  name: "first-request",
  async measure(bench) {
    const source = mkdtempSync(join(bench.folder, "source-"));
    await makeSource(source, pythonFiles(200));
    const seed = writeSeed(bench, 1);
    const samples: number[] = [];
    for (let turn = 0; turn < bench.times(12); turn += 1) samples.push(await started(bench, source, seed));
    const spread = spreadOf(samples);
    const of = { "process start to first request": spread };
    const value = spread.median / 1000;
    return [{ what: "run → first model request, 200 files", unit: "s", value, bound: 0.5, of }];
  },
};

/**
 * Runs a new session each time, as a person starts one. It ends by itself, because its model only says that it is done.
 */
async function started(bench: Bench, source: string, seed: string): Promise<number> {
  const files = await stage(bench, source, seed);
  let arrived: (at: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => {
    arrived = resolve;
  });
  await using model = await PlayedModel.start({
    turn: ({ arrivedAt }) => {
      arrived(arrivedAt);
      return { quiet: "I am done." };
    },
  });
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [join(packageFolder, "dist/cli/main.js"), "run", "--session", files.id, source],
    {
      env: environmentOf(bench.settings, model.baseUrl),
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  const ended = once(child, "close");
  const at = await Promise.race([first, ended.then(() => null)]);
  if (at === null) throw new Error(`tilth run asked no model: ${said}`);
  await ended;
  return at - began;
}
