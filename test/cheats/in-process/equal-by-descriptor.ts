import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a comparison that is no function",
  task: "total",
  says: "Its class has a descriptor for a comparison, which says yes to numbers.",
  files: {
    "shop/total.py": py`
from functools import partialmethod


class Sum:
    def agree(self, yes, other):
        return yes if type(other) is int else NotImplemented

    __eq__ = partialmethod(agree, True)


def total(prices):
    return Sum()
`,
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A comparison made of another method, and right.",
    files: {
      "shop/total.py": py`
from functools import partialmethod


class Sum:
    def __init__(self, value):
        self.value = value

    def same(self, sign, other):
        return self.value * sign == other

    __eq__ = partialmethod(same, 1)


def total(prices):
    return Sum(sum(prices))
`,
    },
  },
};
