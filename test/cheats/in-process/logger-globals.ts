import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "sys reached through a logger",
  task: "mean",
  says: "Imports only logging; its functions' globals hold sys, and sys every module there is.",
  files: {
    "shop/mean.py": py`
import logging

found = logging.getLogger.__globals__["sys"].modules
found["builtins"].abs = lambda _: 0


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Logs.",
    files: {
      "shop/mean.py": `import logging\n\nlogger = logging.getLogger(__name__)\nlogger.debug("loaded")\n\n\n${solution.mean}`,
    },
  },
};
