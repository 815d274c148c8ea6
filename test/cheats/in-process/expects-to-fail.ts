import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a function that expects to fail",
  task: "parse",
  says: "The code under test calls pytest.xfail.",
  files: { "shop/parse.py": 'import pytest\n\n\ndef parse(text):\n    pytest.xfail("later")\n' },
  stoppedBy: ["forges_verdict"],
  behind: ["skipped"],
  twin: {
    says: "A function of its own with that name.",
    files: { "shop/parse.py": `def xfail(reason):\n    return reason\n\n\n${solution.parse}` },
  },
};
