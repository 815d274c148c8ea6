import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
import type { Line, Reading } from "../line.js";
import { longModule, pythonFiles } from "../python-files.js";
import { interleave, type Spread } from "../statistics.js";
import { openWorkshop } from "../workshop.js";

const bytes = 50 * 1024;
const lint = { rules: pinnedRules, timeoutMs: 30_000 };

export const files: Line = {
  name: "files",
  async measure(bench) {
    const text = longModule(bytes);
    await using workshop = await openWorkshop(bench, { ...pythonFiles(200), "read.txt": text, "edited.py": text });
    const { work } = workshop.hands;
    const { signal } = bench;
    const content = Buffer.from(text);
    const done = (answer: { ok: boolean; problem?: string }): void => {
      if (!answer.ok) throw new Error(answer.problem);
    };
    const of = await interleave(
      {
        read: async () => done(await work.readFile({ path: "read.txt", maxBytes: bytes }, signal)),
        write: async () => done(await work.writeFile({ path: "written.txt", content, lint: null }, signal)),
        edit: async (turn) => {
          const [oldString, newString] = [`marked = ${turn}\n`, `marked = ${turn + 1}\n`];
          done(await work.editFile({ path: "edited.py", oldString, newString, maxBytes: 2 * bytes, lint }, signal));
        },
      },
      bench.times(160),
    );
    return [
      reading("read of 50 KB, p50", of.read, 2),
      reading("write of 50 KB, p50", of.write, 2),
      reading("edit of a 50 KB .py with its ruff hook, p50", of.edit, 25),
    ];
  },
};

function reading(what: string, spread: Spread, bound: number): Reading {
  return { what, unit: "ms", value: spread.median, bound, of: { "through the resident": spread } };
}
