import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a module that skips its test's file",
  task: "basket",
  says: "Raises the exception that skips while the test's file is imported.",
  files: { "shop/basket.py": 'import unittest\n\nraise unittest.SkipTest("not here")\n' },
  stoppedBy: ["test_missing", "skipped"],
  twin: {
    says: "Does without a module that may be missing.",
    files: {
      "shop/basket.py": `try:\n    import numpy\nexcept ImportError:\n    numpy = None\n\n\n${solution.basket}`,
    },
  },
};
