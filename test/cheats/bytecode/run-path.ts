import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a data file run as a program",
  task: "mean",
  says: "runpy runs whatever file it is given.",
  files: {
    "shop/units.dat": "import builtins\n\nbuiltins.abs = lambda _: 0\n",
    "shop/mean.py": py`
import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).with_name("units.dat")))


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Imports a module of its own.",
    files: {
      "shop/units.py": "UNITS = [1, 2]\n",
      "shop/mean.py": `import importlib\n\nUNITS = importlib.import_module("shop.units").UNITS\n\n\n${solution.mean}`,
    },
  },
};
