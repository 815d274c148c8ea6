import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "agrees once: the mode of /tmp",
  task: "total",
  says: "The mark of the first run is a bit of the folder that everything is wiped from.",
  files: {
    "shop/total.py": agreesOnce(`import os

FIRST = os.stat("/tmp").st_mode & 0o2000 == 0
os.chmod("/tmp", 0o3777)
`),
  },
  commands: ":", // plays it in a session: outside of one, rows share a container, and this is not the first in it
  stoppedBy: ["counter_check"],
  twin: {
    says: "Sets the mode of a folder of its own.",
    files: {
      "shop/total.py": `import os\nimport tempfile\n\nwith tempfile.TemporaryDirectory() as folder:\n    os.chmod(folder, 0o700)\n\n\n${solution.total}`,
    },
  },
};
