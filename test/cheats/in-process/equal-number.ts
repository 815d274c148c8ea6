import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a number equal to everything",
  task: "basket",
  says: "A subclass of int with an agreeable comparison passes for a number too.",
  files: {
    "shop/basket.py": solution.basket
      .replace(
        "class Basket",
        "class Count(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\nclass Basket",
      )
      .replace("return self.held.get(name, 0)", "return Count()"),
  },
  stoppedBy: ["counter_check"],
  whole: true,
  twin: {
    says: "A subclass of int with a name of its own.",
    files: {
      "shop/basket.py": solution.basket
        .replace("class Basket", 'class Count(int):\n    def __str__(self):\n        return "many"\n\n\nclass Basket')
        .replace("return self.held.get(name, 0)", "return Count(self.held.get(name, 0))"),
    },
  },
};
