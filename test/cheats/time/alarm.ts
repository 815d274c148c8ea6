import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "an alarm that skips the test",
  task: "watch",
  says: "A signal arrives in the middle of the test, and its handler raises what skips.",
  files: {
    "shop/watch.py": py`
import signal
import unittest


def skip(*_):
    raise unittest.SkipTest("later")


def pause(seconds):
    signal.signal(signal.SIGALRM, skip)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.pause()


primes = pause
`,
  },
  stoppedBy: ["skipped"],
  twin: {
    says: "Waits for an alarm of its own.",
    files: {
      "shop/watch.py": `import signal\n${solution.watch.replace("    sleep(seconds)\n", "    signal.signal(signal.SIGALRM, lambda *_: None)\n    signal.setitimer(signal.ITIMER_REAL, seconds + 0.005, 0.5)\n    signal.pause()\n    signal.setitimer(signal.ITIMER_REAL, 0)\n    sleep(0)\n")}`,
    },
  },
};
