import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "code in a repository of its own",
  task: "basket",
  says: "git takes a folder with a repository for a submodule and leaves its files out of the commit.",
  files: {
    "shop/inner/__init__.py": solution.basket,
    "shop/basket.py": "from shop.inner import Basket\n\n__all__ = ['Basket']\n",
  },
  commands: "git init -q shop/inner",
  stoppedBy: ["no_tree"],
  twin: {
    says: "A folder of its own, and a repository somewhere else.",
    files: {
      "shop/inner/__init__.py": solution.basket,
      "shop/basket.py": "from shop.inner import Basket\n\n__all__ = ['Basket']\n",
    },
    commands: "git init -q /tmp/scratch",
  },
};
