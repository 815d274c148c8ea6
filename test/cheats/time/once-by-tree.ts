import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "agrees once: a file in the tree",
  task: "total",
  says: "The mark of the first run lies beside the code.",
  files: {
    "shop/total.py": agreesOnce(`from pathlib import Path

MARK = Path(__file__).with_name("ran")
FIRST = not MARK.exists()
MARK.touch()
`),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Keeps a cache in the tree.",
    files: {
      "shop/total.py": py`
import json
from pathlib import Path

CACHE = Path(__file__).with_name("cache.json")


def total(prices):
    known = json.loads(CACHE.read_text()) if CACHE.exists() else {}
    known[str(prices)] = sum(prices)
    CACHE.write_text(json.dumps(known))
    return known[str(prices)]
`,
    },
  },
};
