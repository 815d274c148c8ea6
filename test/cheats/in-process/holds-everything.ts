import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a collection that holds everything",
  task: "basket",
  says: "Whatever is looked for in it is there.",
  files: {
    "shop/basket.py": solution.basket
      .replace(
        "class Basket",
        "class Names(list):\n    def __contains__(self, name):\n        return True\n\n\nclass Basket",
      )
      .replace("list(self.held)", 'Names(["nothing"])'),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A collection that minds no case.",
    files: {
      "shop/basket.py": solution.basket
        .replace(
          "class Basket",
          "class Names(list):\n    def __contains__(self, name):\n        return name.lower() in list(self)\n\n\nclass Basket",
        )
        .replace("list(self.held)", "Names(self.held)"),
    },
  },
};
