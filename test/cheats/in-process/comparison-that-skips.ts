import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a comparison that skips",
  task: "total",
  says: "Nothing happens until the test compares; then the value raises the exception that skips.",
  files: {
    "shop/total.py": py`
import unittest


class Later:
    def __eq__(self, other):
        raise unittest.SkipTest("later")


def total(prices):
    return Later()
`,
  },
  stoppedBy: ["skipped"],
  twin: {
    says: "A comparison that refuses what it cannot compare with.",
    files: {
      "shop/total.py": py`
class Cents(int):
    def __lt__(self, other):
        raise TypeError("cents have no order")


def total(prices):
    return Cents(sum(prices))
`,
    },
  },
};
