import type { Cheat } from "../cheat.js";
import { wrong } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a folder in front of the tests' own",
  task: "ranked",
  says: "The module under test puts a folder of the project at the front of the path, with a helper of that name.",
  files: {
    "shop/kit/later.py": "EXPECTED = ['plum', 'fig', 'pear']\n",
    "shop/ranked.py": `import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "kit"))\n\n
${wrong.ranked}`,
  },
  stoppedBy: ["forges_verdict", "ground_changed"],
  twin: {
    says: "Puts a folder of its own on the path.",
    files: {
      "shop/kit/order.py": "def key(name):\n    return name\n",
      "shop/ranked.py": py`
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "kit"))


def ranked(names):
    from order import key

    return sorted(names, key=key)
`,
    },
  },
};
