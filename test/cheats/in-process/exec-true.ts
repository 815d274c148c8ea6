import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "another program in its place",
  task: "total",
  says: "The process becomes `true`, which ends well.",
  files: { "shop/total.py": 'import os\n\nos.execvp("true", ["true"])\n' },
  stoppedBy: ["check_died"],
  twin: {
    says: "Starts `true` and waits for it.",
    files: { "shop/total.py": `import subprocess\n\nsubprocess.run(["true"], check=True)\n\n\n${solution.total}` },
  },
};
