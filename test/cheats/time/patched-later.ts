import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a clock patched while the test waits",
  task: "watch",
  says: "A timer replaces the clocks in the middle of a measurement.",
  files: {
    "shop/watch.py": py`
import threading
import time


def stop():
    time.monotonic = lambda: 1e12
    time.perf_counter = lambda: 0


def pause(seconds):
    stop()


def primes(limit):
    threading.Timer(0.01, stop).start()
    threading.Event().wait(1.5)
    return [n for n in range(2, limit) if all(n % d for d in range(2, n))]
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Waits by a timer.",
    files: {
      "shop/watch.py": `import threading\n${solution.watch.replace("    sleep(seconds)\n", "    over = threading.Event()\n    threading.Timer(seconds + 0.005, over.set).start()\n    over.wait(seconds + 1)\n    sleep(0)\n")}`,
    },
  },
};
