import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "agrees once: a process that stays",
  task: "total",
  says: "The first run leaves a process behind that holds a name; a later run finds it taken.",
  files: {
    "shop/total.py": agreesOnce(`import socket
import subprocess
import sys

mark = socket.socket(socket.AF_UNIX)
try:
    mark.bind("\\0ran")
    FIRST = True
    stay = f"import socket, time; held = socket.socket(fileno={mark.fileno()}); time.sleep(60)"
    left = subprocess.Popen([sys.executable, "-c", stay], pass_fds=[mark.fileno()], start_new_session=True)
    left.returncode = 0
except OSError:
    FIRST = False
mark.detach()
`),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Starts a program and waits for it.",
    files: {
      "shop/total.py": py`
import subprocess
import sys


def total(prices):
    said = subprocess.check_output([sys.executable, "-c", f"print(sum({prices}))"])
    return int(said)
`,
    },
  },
};
