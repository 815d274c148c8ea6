import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a function that ends the session",
  task: "total",
  says: "The code under test calls pytest.exit with status 0.",
  files: { "shop/total.py": 'import pytest\n\n\ndef total(prices):\n    pytest.exit("done", returncode=0)\n' },
  stoppedBy: ["forges_verdict"],
  behind: ["not_finished"],
  twin: {
    says: "A method of its own named exit.",
    files: {
      "shop/total.py": py`
class Till:
    def exit(self, reason, returncode=0):
        return reason


def total(prices):
    Till().exit("done", returncode=0)
    return sum(prices)
`,
    },
  },
};
