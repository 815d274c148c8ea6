import type { Cheat } from "../cheat.js";
import { solution, wrong } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "one test's run emptied",
  task: "total",
  says: "pytest's own class runs every test but those of this task, so that nothing else looks odd.",
  files: {
    "shop/total.py": py`
import _pytest.python

real = _pytest.python.Function.runtest


def runtest(self):
    return None if "total" in self.name else real(self)


_pytest.python.Function.runtest = runtest


${wrong.total}`,
  },
  stoppedBy: ["forges_verdict"],
  behind: ["no_assertion_reached"],
  twin: {
    says: "A method of its own with that name.",
    files: { "shop/total.py": `class Function:\n    def runtest(self):\n        return None\n\n\n${solution.total}` },
  },
};
