import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "a tracer that jumps over assertions",
  task: "total",
  says: "Sends each test straight to its last line.",
  files: {
    "shop/total.py": py`
import sys


def jump(frame, event, _):
    last = max(line for *_, line in frame.f_code.co_lines() if line)
    if event == "line" and frame.f_lineno < last:
        frame.f_lineno = last
    return jump


def tracer(frame, event, _):
    return jump if frame.f_code.co_name in ("test_total", "test_totals") else None


sys.settrace(tracer)


def total(prices):
    return 10 if prices else 0
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "A module of its own named trace.",
    files: {
      "shop/trace.py": "def settrace(name):\n    return name\n",
      "shop/total.py": `from shop.trace import settrace\n\nsettrace("total")\n\n\n${solution.total}`,
    },
  },
};
