import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";

export const cheat: Cheat = {
  name: "clocks patched",
  task: "watch",
  says: "One clock runs away and the other stands still, so all waiting is long and all work is quick.",
  files: {
    "shop/watch.py": `import itertools\nimport time\n${wrong.watch}\n\ntime.monotonic = itertools.count().__next__\ntime.perf_counter = lambda: 0\n`,
  },
  stoppedBy: ["forges_verdict"],
  whole: true,
  twin: {
    says: "Reads the clock while it waits.",
    files: {
      "shop/watch.py": `import time\n${solution.watch.replace("    sleep(seconds)\n", "    until = time.monotonic() + seconds\n    while time.monotonic() < until:\n        sleep(0.01)\n")}`,
    },
  },
};
