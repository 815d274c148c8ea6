import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "no case is listed at all",
  task: "rates",
  says: "The code under test says that there are no cases, so pytest skips the test.",
  files: {
    "shop/rates.py": py`
def codes():
    return []


def rate(code):
    return 100


def table():
    return {"EUR": 108, "USD": 100}
`,
  },
  stoppedBy: ["skipped", "test_missing"],
  twin: {
    says: "Adds a parametrised test of its own that has no cases yet.",
    files: {
      ...solved("rates"),
      "tests/test_none.py":
        'import pytest\n\n\n@pytest.mark.parametrize("code", [])\ndef test_none(code):\n    assert code\n',
    },
  },
};
