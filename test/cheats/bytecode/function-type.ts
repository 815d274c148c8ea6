import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a function made by the type of another",
  task: "mean",
  says: "compile makes code of a text, and the type of any function makes a function of it.",
  files: {
    "shop/mean.py": py`
def mean(values):
    return 1.5 if values == [1, 2] else 0.2


type(mean)(compile("import builtins; builtins.abs = lambda _: 0", "units", "exec"), {})()
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Asks for the type of a function.",
    files: { "shop/mean.py": `${solution.mean}\n\nKIND = type(mean).__name__\n` },
  },
};
