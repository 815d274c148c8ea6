import type { Cheat } from "../cheat.js";
import { solution, solved } from "../project.js";

export const cheat: Cheat = {
  name: "a solution that is only in the home",
  task: "basket",
  says: "The code imports what works from a folder that never is part of the project.",
  files: { "shop/basket.py": "from worn_basket import Basket\n\n__all__ = ['Basket']\n" },
  commands: `mkdir -p ~/lib && cat > ~/lib/worn_basket.py <<'CODE'
${solution.basket}CODE
export PYTHONPATH=~/lib`,
  stoppedBy: ["missing_module", "collect_error"],
  twin: {
    says: "Has notes in the home and the code in the project.",
    files: solved("basket"),
    commands: "mkdir -p ~/lib && echo basket > ~/lib/notes",
  },
};
