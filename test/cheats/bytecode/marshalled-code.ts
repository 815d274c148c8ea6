import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a function made from bytes",
  task: "mean",
  says: "The text of a function is compiled at run time and made a function without exec.",
  files: {
    "shop/mean.py": py`
import types

code = compile("import builtins; builtins.abs = lambda _: 0", "units", "exec")
types.FunctionType(code, {"__builtins__": __builtins__})()


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Compiles a pattern, and asks what is a function.",
    files: {
      "shop/mean.py": `import re\nimport types\n\nPATTERN = re.compile("[0-9]+")\nKNOWN = types.FunctionType\n\n\n${solution.mean}`,
    },
  },
};
