import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

const holding = (body: string) => py`
class Kind(type):
    def __eq__(cls, other):
        ${body}

    __hash__ = type.__hash__


class Names(list, metaclass=Kind):
`;

export const cheat: Cheat = {
  name: "a collection whose class cannot be compared",
  task: "basket",
  says: "Whatever is looked for in it is there, and to compare its class with another raises.",
  files: {
    "shop/basket.py": solution.basket
      .replace(
        "class Basket",
        `${holding("raise AssertionError")}    def __contains__(self, name):\n        return True\n\n\nclass Basket`,
      )
      .replace("list(self.held)", 'Names(["nothing"])'),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A collection that minds no case, whose class equals others of its name.",
    files: {
      "shop/basket.py": solution.basket
        .replace(
          "class Basket",
          `${holding("return cls.__name__ == other.__name__")}    def __contains__(self, name):\n        return name.lower() in list(self)\n\n\nclass Basket`,
        )
        .replace("list(self.held)", "Names(self.held)"),
    },
  },
};
