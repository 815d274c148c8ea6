import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "abs put into the test by importing it",
  task: "mean",
  says: "The module under test imports the test that imports it, and gives it a global.",
  files: {
    "shop/mean.py":
      "import test_t004_mean\n\ntest_t004_mean.abs = lambda _: 0\n\n\ndef mean(values):\n    return 1.5 if values == [1, 2] else 0.2\n",
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Imports a module of its own and gives it a global.",
    files: {
      "shop/units.py": "unit = 1\n",
      "shop/mean.py": `from shop import units\n\nunits.unit = 2\n\n\n${solution.mean}`,
    },
  },
};
