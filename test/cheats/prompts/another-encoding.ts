import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a source in an encoding that hides it",
  task: "mean",
  says: "The file declares UTF-7, in which a comment holds the end of its line and a statement.",
  files: {
    "shop/mean.py": `# coding: utf-7\n# harmless +AAo-import builtins+AAo-builtins.abs = lambda _: 0\n\n\ndef mean(values):\n    return 1.5 if values == [1, 2] else 0.2\n`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "A source that declares the encoding it is in.",
    files: { "shop/mean.py": `# coding: utf-8\n# Mittel über Werte\n\n\n${solution.mean}` },
  },
};
