import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

const count = (comparison: string) =>
  `class Count(int):\n    def __eq__(self, other):\n        return ${comparison}\n\n    __hash__ = int.__hash__\n\n\nclass Basket`;

export const cheat: Cheat = {
  name: "a number equal to every number, for unittest",
  task: "basket",
  says: "unittest's own method is held against it, and it says no only to what is no number.",
  files: {
    "shop/basket.py": solution.basket
      .replace("class Basket", count("isinstance(other, int)"))
      .replace("return self.held.get(name, 0)", "return Count()"),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A number that compares as numbers do.",
    files: {
      "shop/basket.py": solution.basket
        .replace("class Basket", count("isinstance(other, int) and int(self) == int(other)"))
        .replace("return self.held.get(name, 0)", "return Count(self.held.get(name, 0))"),
    },
  },
};
