import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "abs patched through another module's builtins",
  task: "mean",
  says: "Every module that is imported carries the table of builtins.",
  files: {
    "shop/mean.py":
      'import json\n\njson.__dict__["__builtins__"].update(abs=lambda _: 0)\n\n\ndef mean(values):\n    return 1.5 if values == [1, 2] else 0.2\n',
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Updates a dictionary of its own module's name.",
    files: { "shop/mean.py": `UNITS = {}\nUNITS.update(abs=1)\n\n\n${solution.mean}` },
  },
};
