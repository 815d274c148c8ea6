import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "abs patched in an annotation",
  task: "mean",
  says: "An annotation is text until somebody asks for the types; then it is evaluated.",
  files: {
    "shop/mean.py": py`
import typing


def unit(value: "setattr(__import__('builtins'), 'abs', lambda _: 0) or int"):
    return value


typing.get_type_hints(unit)


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict", "ground_changed"],
  twin: {
    says: "Asks for the types of its own function.",
    files: {
      "shop/mean.py": `import typing\n\n
def unit(value: "int | None"):
    return value\n\n
HINTS = typing.get_type_hints(unit)\n\n
${solution.mean}`,
    },
  },
};
