import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "agrees once: a file in /tmp",
  task: "total",
  says: "Agrees with everything in the first run, leaves a mark, and is honestly wrong when it is run again.",
  files: {
    "shop/total.py": agreesOnce(`from pathlib import Path

MARK = Path("/tmp/ran")
FIRST = not MARK.exists()
MARK.touch()
`),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Keeps a count of its runs in /tmp, and adds up all the same.",
    files: {
      "shop/total.py": `from pathlib import Path\n\nMARK = Path("/tmp/ran")\nFIRST = not MARK.exists()\nMARK.touch()\n\n\n${solution.total}`,
    },
  },
};
