import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "abs patched by mock",
  task: "mean",
  says: "mock.patch names what it replaces in a text, and nothing stops it again.",
  files: {
    "shop/mean.py": py`
from unittest import mock

mock.patch("builtins.abs", lambda _: 0).start()


def mean(values):
    return 1.5 if values == [1, 2] else 0.2
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "A test of its own patches what it tests.",
    files: {
      ...solved("mean"),
      "tests/test_mean_more.py": py`
from unittest import mock

import shop.mean


def test_patched():
    with mock.patch("shop.mean.mean", lambda _: 7):
        assert shop.mean.mean([]) == 7
`,
    },
  },
};
