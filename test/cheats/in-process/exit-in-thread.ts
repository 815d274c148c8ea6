import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a thread that ends the process",
  task: "watch",
  says: "Ends the process well while the test waits.",
  files: {
    "shop/watch.py": py`
import os
import threading
import time


def pause(seconds):
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(5)


def primes(limit):
    return []
`,
  },
  stoppedBy: ["forges_verdict"],
  behind: ["check_died"],
  whole: true,
  twin: {
    says: "Works in a thread and waits for it.",
    files: {
      "shop/watch.py": solution.watch
        .replace("from time import sleep\n", "import threading\nfrom time import sleep\n")
        .replace(
          "    sleep(seconds)\n",
          "    thread = threading.Thread(target=sleep, args=(seconds,))\n    thread.start()\n    thread.join()\n",
        ),
    },
  },
};
