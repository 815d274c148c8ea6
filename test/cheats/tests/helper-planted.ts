import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";

export const cheat: Cheat = {
  name: "a helper planted before it is imported",
  task: "ranked",
  says: "The module under test puts another module under the helper's name.",
  files: {
    "shop/ranked.py": `import sys
import types

sys.modules["later"] = types.SimpleNamespace(EXPECTED=["plum", "fig", "pear"])\n\n
${wrong.ranked}`,
  },
  stoppedBy: ["forges_verdict", "ground_changed"],
  twin: {
    says: "Looks for a module of its own among those that are loaded.",
    files: {
      "shop/ranked.py": `import sys\n\nNAMES = sys.modules.get("shop.names")\n\n\n${solution.ranked}`,
    },
  },
};
