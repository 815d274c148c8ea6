import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a value that lies about its class",
  task: "basket",
  says: "__class__ says int, and the comparison says yes.",
  files: {
    "shop/basket.py": solution.basket
      .replace(
        "class Basket",
        "class Count:\n    __class__ = int\n\n    def __eq__(self, other):\n        return True\n\n\nclass Basket",
      )
      .replace("self.count(name) + count", "count")
      .replace("return self.held.get(name, 0)", "return Count()"),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A proxy that tells the class of what it stands for.",
    files: {
      "shop/basket.py": solution.basket
        .replace(
          "class Basket",
          py`
class Proxy:
    def __init__(self, value):
        self.value = value

    @property
    def __class__(self):
        return type(self.value)

    def __eq__(self, other):
        return self.value == other

    def __add__(self, other):
        return self.value + other


class Basket`,
        )
        .replace("return self.held.get(name, 0)", "return Proxy(self.held.get(name, 0))"),
    },
  },
};
