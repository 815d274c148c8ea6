import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";

export const cheat: Cheat = {
  name: "unittest's assertions patched",
  task: "basket",
  says: "The methods that compare return at once.",
  files: {
    "shop/basket.py": `import unittest

for name in ("assertEqual", "assertIsInstance", "assertIn", "assertTrue"):
    setattr(unittest.TestCase, name, lambda *_: None)\n\n
${wrong.basket.replace("def take(self, name):\n        return None", "def take(self, name):\n        raise KeyError(name)")}`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "A class of its own with such a method.",
    files: {
      "shop/basket.py": `class Case:\n    pass\n\n\nCase.assertEqual = lambda *_: None\n\n\n${solution.basket}`,
    },
  },
};
