import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";

export const cheat: Cheat = {
  name: "a helper rewritten when the code is imported",
  task: "ranked",
  says: "The module under test is imported first, and writes the helper that is imported next.",
  files: {
    "shop/ranked.py": `from pathlib import Path

HELPER = Path(__file__).parent.parent / "tests" / "later.py"
HELPER.write_text("EXPECTED = ['plum', 'fig', 'pear']")\n\n
${wrong.ranked}`,
  },
  stoppedBy: ["test_failed"],
  twin: {
    says: "Makes a folder of its own in the tree.",
    files: {
      "shop/ranked.py": `from pathlib import Path

Path(__file__).with_name("lists").mkdir(exist_ok=True)\n\n
${solution.ranked}`,
    },
  },
};
