import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "an exception that skips",
  task: "roman",
  says: "The code under test raises unittest.SkipTest, which needs no pytest.",
  files: { "shop/roman.py": 'from unittest import SkipTest\n\n\ndef roman(number):\n    raise SkipTest("later")\n' },
  stoppedBy: ["skipped"],
  whole: true,
  twin: {
    says: "An exception of its own for what it skips, caught where it is raised.",
    files: {
      "shop/roman.py": py`
STEPS = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


class Skip(Exception):
    pass


def step(number, value):
    if number < value:
        raise Skip
    return number - value


def roman(number):
    for value, text in STEPS:
        try:
            return text + roman(step(number, value))
        except Skip:
            pass
    return ""
`,
    },
  },
};
