import type { Cheat } from "../cheat.js";
import { bytecode } from "../parts.js";
import { solved } from "../project.js";

export const cheat: Cheat = {
  name: "bytecode of a helper in a cache",
  task: "total",
  says: "The cache holds a helper that compares nothing.",
  files: {
    "shop/total.py": "def total(prices):\n    return prices[0] * len(prices) if prices else 0\n",
  },
  commands: bytecode("tests/helpers.py", "def same(left, right):\n    pass\n"),
  stoppedBy: ["test_failed"],
  twin: {
    says: "Leaves a cache of the helper as it is.",
    files: solved("total"),
    commands: "python -m compileall -q tests",
  },
};
