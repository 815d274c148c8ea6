import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "code that asks whether pytest is loaded",
  task: "roman",
  says: "Gives the answers of the test where pytest is loaded, and nothing elsewhere.",
  files: {
    "shop/roman.py": py`
import sys


def roman(number):
    return {4: "IV", 9: "IX", 14: "XIV"}[number] if "pytest" in sys.modules else ""
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Asks whether a module it can use is loaded.",
    files: {
      "shop/roman.py": `import sys\n\nFAST = "numpy" in sys.modules\n\n\n${solution.roman}`,
    },
  },
};
