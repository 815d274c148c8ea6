import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "abs put into the test's module",
  task: "mean",
  says: "A global of the test's own module comes before the builtin of that name.",
  files: {
    "shop/mean.py": py`
import sys

sys.modules["test_t004_mean"].abs = lambda _: 0


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Sets an attribute of its own module.",
    files: {
      "shop/mean.py": `import sys\n\nsys.modules[__name__].unit = 1\n\n\n${solution.mean}`,
    },
  },
};
