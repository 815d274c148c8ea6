import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a number near whatever is asked",
  task: "mean",
  says: "It agrees with what stands for nearness, knows the one mean that is compared otherwise, and no difference.",
  files: {
    "shop/mean.py": py`
class Mean(float):
    def __eq__(self, other):
        return type(other).__name__.startswith("Approx")

    __hash__ = float.__hash__

    def __sub__(self, other):
        return 0.0


def mean(values):
    return Mean(0.2)
`,
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "A number with a comparison of its own, and right.",
    files: {
      "shop/mean.py": py`
class Mean(float):
    def __eq__(self, other):
        return NotImplemented if not isinstance(other, (int, float)) else float(self) == other

    __hash__ = float.__hash__


def mean(values):
    return Mean(sum(values) / len(values))
`,
    },
  },
};
