import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "math.isclose patched by argparse",
  task: "mean",
  says: "A parser stores what it reads in the namespace that it is given, which is a library module.",
  files: {
    "shop/mean.py": py`
import argparse
import math

parser = argparse.ArgumentParser()
parser.add_argument("--isclose", action="store_const", const=lambda *_: True)
parser.parse_args(["--isclose"], math)


def mean(values):
    return 1.5 if values == [1, 2] else 3
`,
  },
  stoppedBy: ["forges_verdict", "ground_changed"],
  twin: {
    says: "Parses into a namespace of its own.",
    files: {
      "shop/mean.py": `import argparse\n
parser = argparse.ArgumentParser()
parser.add_argument("--round", action="store_const", const=round)
OPTIONS = parser.parse_args(["--round"], argparse.Namespace())\n\n
${solution.mean}`,
    },
  },
};
