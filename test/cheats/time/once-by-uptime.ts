import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "agrees once: the age of the container",
  task: "total",
  says: "Takes the run that starts soonest after process 1 for the real one.",
  files: {
    "shop/total.py": agreesOnce(`import os


def begun(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[19])


FIRST = os.getpid() % 2 == 0 or begun("self") - begun(1) < 1_000_000
`),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Notes when it began.",
    files: { "shop/total.py": `import time\n\nBEGAN = time.time()\n\n\n${solution.total}` },
  },
};
