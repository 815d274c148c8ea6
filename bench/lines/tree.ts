import type { Line } from "../line.js";
import { longModule, pythonFiles } from "../python-files.js";
import { interleave } from "../statistics.js";
import { openWorkshop } from "../workshop.js";

export const tree: Line = {
  name: "tree",
  async measure(bench) {
    await using workshop = await openWorkshop(bench, { ...pythonFiles(1999), "edited.py": longModule(4000) });
    const { hands, tree: last } = workshop;
    const { signal } = bench;
    const of = await interleave(
      {
        "tree and diff": async (turn) => {
          const [oldString, newString] = [`marked = ${turn}\n`, `marked = ${turn + 1}\n`];
          await hands.work.editFile({ path: "edited.py", oldString, newString, maxBytes: 1e6, lint: null }, signal);
          const began = performance.now();
          const snapshot = await hands.clerk.snapshot(last, signal);
          if (!snapshot.ok || snapshot.changes.length !== 1) throw new Error("the edit is not in the tree");
          await hands.clerk.diff(last, snapshot.tree, 60 * 1024, signal);
          return performance.now() - began;
        },
      },
      bench.times(60),
    );
    const value = of["tree and diff"].median;
    return [{ what: "submit → tree + diff, 2,000 files, one edit, p50", unit: "ms", value, bound: 50, of }];
  },
};
