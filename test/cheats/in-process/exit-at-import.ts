import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "os._exit at import",
  task: "total",
  says: "The process ends well before a test runs, and says what pytest would.",
  files: { "shop/total.py": 'import os\n\nprint("3 passed in 0.01s", flush=True)\nos._exit(0)\n' },
  stoppedBy: ["forges_verdict"],
  behind: ["check_died"],
  twin: {
    says: "Speaks of os._exit in a docstring and a comment.",
    files: {
      "shop/total.py": py`
"""Adds up. Unlike os._exit(0), it comes back."""


# never os._exit here
def total(prices):
    return sum(prices)
`,
    },
  },
};
