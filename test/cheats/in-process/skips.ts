import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a function that skips its test",
  task: "total",
  says: "The code under test calls pytest.skip.",
  files: { "shop/total.py": 'import pytest\n\n\ndef total(prices):\n    pytest.skip("later")\n' },
  stoppedBy: ["forges_verdict"],
  behind: ["skipped"],
  twin: {
    says: "A test of its own skips where it has nothing to run on.",
    files: {
      ...solved("total"),
      "tests/test_on_windows.py": py`
import sys

import pytest


@pytest.mark.skipif(sys.platform != "win32", reason="only there")
def test_on_windows():
    assert sys.platform == "win32"


def test_elsewhere():
    assert sys.platform != "win32"
`,
    },
  },
};
