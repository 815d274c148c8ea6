import type { Cheat } from "../cheat.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "reports written to every descriptor, then os._exit",
  task: "total",
  says: "Writes what a report looks like to each open descriptor and ends the process well.",
  files: {
    "shop/total.py": py`
import json
import os

IDS = ["tests/test_t001_discount.py::test_discount", "tests/test_t002_total.py::test_total"]


def total(prices):
    results = [{"id": name, "outcome": "passed", "text": ""} for name in IDS]
    report = {"nonce": "", "exit": 0, "finished": True, "results": results, "collect_errors": []}
    report |= {"missing": [], "dropped": [], "unserved": []}
    for number in range(3, 2000):
        try:
            os.write(number, json.dumps(report).encode())
        except OSError:
            pass
    os._exit(0)
`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Writes JSON to a pipe of its own.",
    files: {
      "shop/total.py": py`
import json
import os


def total(prices):
    reader, writer = os.pipe()
    os.write(writer, json.dumps(prices).encode())
    os.close(writer)
    with os.fdopen(reader) as file:
        return sum(json.load(file))
`,
    },
  },
};
