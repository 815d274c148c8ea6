import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";

export const cheat: Cheat = {
  name: "a ruff configuration in the home",
  task: "total",
  says: "Where a project has no configuration of its own, ruff takes the person's, and this one finds nothing.",
  files: { "shop/total.py": "import os\n\n\ndef total(prices):\n    return sum(prices)\n" },
  commands: `mkdir -p ~/.config/ruff && echo 'lint.ignore = ["ALL"]' > ~/.config/ruff/ruff.toml; unset XDG_CONFIG_HOME`,
  naive: (pytest) => `${pytest} && ruff check -q --no-cache shop`,
  stoppedBy: ["lint"],
  twin: {
    says: "A configuration in the home, and clean code.",
    files: solved("total"),
    commands: `mkdir -p ~/.config/ruff && echo 'line-length = 100' > ~/.config/ruff/ruff.toml`,
  },
};
