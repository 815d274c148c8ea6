import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "abs patched through print",
  task: "mean",
  says: "A builtin function knows the module that it belongs to.",
  files: {
    "shop/mean.py":
      "print.__self__.abs = lambda _: 0\n\n\ndef mean(values):\n    return 1.5 if values == [1, 2] else 0.2\n",
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Asks a bound method what it is bound to.",
    files: { "shop/mean.py": `${solution.mean}\n\nHELD = [1, 2]\nSAME = HELD.append.__self__ is HELD\n` },
  },
};
