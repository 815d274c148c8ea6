import type { Cheat } from "../cheat.js";
import { solved, wrong } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a unittest of its own",
  task: "basket",
  says: "A module named unittest loads the real one and takes the assertions out of it.",
  files: {
    "unittest/__init__.py": py`
import importlib.util
import os
import sys

path = os.path.join(os.path.dirname(os.__file__), "unittest", "__init__.py")
spec = importlib.util.spec_from_file_location("unittest", path, submodule_search_locations=[os.path.dirname(path)])
real = sys.modules["unittest"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(real)
for name in ("assertEqual", "assertIsInstance", "assertIn", "assertTrue"):
    setattr(real.TestCase, name, lambda *_: None)
`,
    "shop/basket.py": wrong.basket.replace(
      "def take(self, name):\n        return None",
      "def take(self, name):\n        raise KeyError(name)",
    ),
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "A subpackage of that name, which hides nothing.",
    files: { ...solved("basket"), "shop/unittest/__init__.py": "COUNT = 1\n" },
  },
};
