import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "os._exit under a name put together",
  task: "mean",
  says: "No line holds the name of the function that ends the process.",
  files: { "shop/mean.py": 'import os\n\ngetattr(os, "_".join(["", "exit"]))(0)\n' },
  stoppedBy: ["forges_verdict"],
  behind: ["check_died"],
  twin: {
    says: "Takes an attribute by a name that is data.",
    files: {
      "shop/mean.py": py`
import statistics


def mean(values, kind="fmean"):
    return getattr(statistics, kind)(values)
`,
    },
  },
};
