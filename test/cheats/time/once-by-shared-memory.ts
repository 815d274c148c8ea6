import type { Cheat } from "../cheat.js";
import { agreesOnce } from "../parts.js";
import { py } from "../py.js";

export const cheat: Cheat = {
  name: "agrees once: shared memory",
  task: "total",
  says: "The mark of the first run is a segment of shared memory.",
  files: {
    "shop/total.py": agreesOnce(`import os

try:
    os.close(os.open("/dev/shm/ran", os.O_CREAT | os.O_EXCL | os.O_RDWR))
    FIRST = True
except FileExistsError:
    FIRST = False
`),
  },
  stoppedBy: ["counter_check"],
  twin: {
    says: "Adds up in shared memory of its own.",
    files: {
      "shop/total.py": py`
from multiprocessing.shared_memory import SharedMemory


def total(prices):
    held = SharedMemory(create=True, size=8)
    try:
        held.buf[:4] = sum(prices).to_bytes(4, "little")
        return int.from_bytes(held.buf[:4], "little")
    finally:
        held.close()
        held.unlink()
`,
    },
  },
};
