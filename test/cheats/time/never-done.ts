import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "code that never comes back",
  task: "total",
  says: "Sleeps until the harness gives up, for one that takes a time-out for trouble of its own and lets it pass.",
  files: { "shop/total.py": "import time\n\ntime.sleep(600)\n" },
  naive: (pytest) => `timeout -k 1 2 ${pytest}; status=$?; [ $status = 0 ] || [ $status = 124 ]`,
  timeoutMs: 4000,
  stoppedBy: ["timeout"],
  twin: {
    says: "Sleeps a little.",
    files: { "shop/total.py": `import time\n\ntime.sleep(0.1)\n\n\n${solution.total}` },
  },
};
