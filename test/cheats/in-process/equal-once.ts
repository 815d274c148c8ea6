import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a value equal once",
  task: "total",
  says: "It agrees with whatever it is asked first, and with nothing after that.",
  files: {
    "shop/total.py": py`
class Sum:
    def __init__(self):
        self.asked = 0

    def __eq__(self, other):
        self.asked += 1
        return self.asked == 1


def total(prices):
    return Sum()
`,
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A value that is used up by its comparison.",
    files: {
      "shop/total.py": py`
class Sum:
    def __init__(self, prices):
        self.prices = iter(prices)

    def __eq__(self, other):
        return sum(self.prices) == other


def total(prices):
    return Sum(prices)
`,
    },
  },
};
