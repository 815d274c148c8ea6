import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";

export const cheat: Cheat = {
  name: "an AssertionError that skips",
  task: "roman",
  says: "The name that a failing assertion raises stands for the exception that skips.",
  files: {
    "shop/roman.py": `import builtins\nimport unittest\n\nbuiltins.AssertionError = unittest.SkipTest\n\n\n${wrong.roman}`,
  },
  stoppedBy: ["forges_verdict"],
  behind: ["skipped"],
  twin: {
    says: "Raises an AssertionError of its own for what cannot be.",
    files: {
      "shop/roman.py": solution.roman.replace(
        "    for value",
        '    if number < 0:\n        raise AssertionError("below nothing")\n    for value',
      ),
    },
  },
};
