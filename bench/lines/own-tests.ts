import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { SuiteSettings } from "../../runner/settings/settings.js";
import { type Files, makeSource } from "../../test/helpers/sources.js";
import { BareCheck } from "../bare-check.js";
import type { Bench, Line } from "../line.js";
import { pythonFiles } from "../python-files.js";
import { writeSeed } from "../staged.js";
import { type Spread, spreadOf } from "../statistics.js";
import { submits } from "./submit.js";

const thinkMs = 600;
const files = 10;
const each = 30;

/** `files` files with `each` tests that take next to no time. */
function quickTests(): Files {
  const source = (at: number) =>
    Array.from({ length: each }, (_, n) => `def test_${n}():\n    assert ${at} + ${n} == ${at + n}\n`).join("\n\n");
  return Object.fromEntries(Array.from({ length: files }, (_, at) => [`tests/test_quick_${at}.py`, source(at)]));
}

export const ownTests: Line = {
  name: "own-tests",
  async measure(bench) {
    const without = pythonFiles(200);
    const suite = { ...without, ...quickTests() };
    await using bare = await BareCheck.open(bench, suite);
    const times: number[] = [];
    const beside = async () => void times.push(await bare.pytest("tests"));
    const none = await both(bench, without);
    const quick = await both(bench, suite, beside);
    const bareSuite = spreadOf(times);
    const waits = quick.held.median - quick.off.median;
    return [
      {
        what: "submit → evaluator later by, a project without tests of its own",
        unit: "ms",
        value: none.held.median - none.off.median,
        bound: 10,
        of: { held: none.held, off: none.off },
      },
      {
        what: `submit → evaluator later by, ${files * each} quick tests / bare pytest on them`,
        unit: "ratio",
        value: waits / bareSuite.median,
        bound: 1.2,
        of: { held: quick.held, off: quick.off, "python -m pytest tests": bareSuite },
        note: "so short a suite runs as a whole before the evaluator, so that the commit waits for nothing more",
      },
    ];
  },
};

/** Measures the two in turn, so that whatever else the machine does falls on both. */
async function both(
  bench: Bench,
  content: Files,
  beside: (() => Promise<void>) | null = null,
): Promise<{ readonly held: Spread; readonly off: Spread }> {
  const found: Record<"held" | "off", number[]> = { held: [], off: [] };
  for (let round = 0; round < 2; round += 1) {
    found.off.push(...(await measured(bench, content, { mode: "off", beside })));
    found.held.push(...(await measured(bench, content, { mode: "hold", beside })));
  }
  return { held: spreadOf(found.held), off: spreadOf(found.off) };
}

async function measured(
  bench: Bench,
  content: Files,
  { mode, beside }: { readonly mode: SuiteSettings["mode"]; readonly beside: (() => Promise<void>) | null },
): Promise<readonly number[]> {
  const source = mkdtempSync(join(bench.folder, "source-"));
  await makeSource(source, content);
  const settings = { ...bench.settings, suite: { ...bench.settings.suite, mode } };
  const seed = writeSeed(bench, 1);
  const spread = await submits({ ...bench, settings }, { source, seed, thinkMs, times: bench.times(16), beside });
  return [spread.median];
}
