import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";

export const cheat: Cheat = {
  name: "findings silenced for a whole file",
  task: "total",
  says: "A blanket `ruff: noqa` lets every finding of the file through; the code does what it should.",
  files: { "shop/total.py": "# ruff: noqa\nimport os\n\n\ndef total(prices):\n    return sum(prices)\n" },
  naive: (pytest) => `${pytest} && ruff check -q shop`,
  stoppedBy: "note",
  twin: {
    says: "One finding silenced on one line, by its rule.",
    files: { ...solved("total"), "shop/all.py": "from shop.total import total  # noqa: F401\n" },
  },
};
