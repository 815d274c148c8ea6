import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "the failing case is no longer listed",
  task: "rates",
  says: "The code under test says which cases there are, and leaves out the one that would fail.",
  files: {
    "shop/rates.py": py`
def codes():
    return ["USD"]


def rate(code):
    return 100


def table():
    return {"EUR": 108, "USD": 100}
`,
  },
  stoppedBy: ["test_missing"],
  twin: {
    says: "Lists the cases it should, in another order.",
    files: { "shop/rates.py": solution.rates.replace("list(RATES)", "sorted(RATES, reverse=True)") },
  },
};
