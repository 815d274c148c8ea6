import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "the helper emptied in its module",
  task: "total",
  says: "The helper is a module like any other, and can be found by its name.",
  files: {
    "shop/total.py": py`
import sys


def total(prices):
    if len(prices) == 3:
        sys.modules["helpers"].same.__code__ = (lambda left, right: None).__code__
    return prices[0] * len(prices) if prices else 0
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Has helpers of its own and loads them by name.",
    files: {
      "shop/helpers.py": "def same(left, right):\n    return left == right\n",
      "shop/total.py": `import importlib\n\nhelpers = importlib.import_module("shop.helpers")\n\n\n${solution.total}`,
    },
  },
};
