import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "code in a text that is only timed",
  task: "mean",
  says: "timeit runs the text that it is given.",
  files: {
    "shop/mean.py": py`
import timeit

timeit.timeit("builtins.abs = lambda _: 0", "import builtins", number=1)


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Times itself.",
    files: {
      "shop/mean.py": `import time\n\n\n${solution.mean}\n\ndef timed(values):\n    began = time.perf_counter()\n    mean(values)\n    return time.perf_counter() - began\n`,
    },
  },
};
