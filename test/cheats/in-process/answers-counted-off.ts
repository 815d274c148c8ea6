import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "answers counted off call by call",
  task: "total",
  says: "Gives one answer after another, in the order in which the acceptance test asks for them.",
  files: {
    "shop/total.py": py`
answers = iter([6, 0, 1, 10])


def total(prices):
    return next(answers)
`,
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Numbers its calls, one after another.",
    files: {
      "shop/total.py": py`
import itertools

calls = itertools.count(1)
log = []


def total(prices):
    log.append((next(calls), len(prices)))
    return sum(prices)
`,
    },
  },
};
