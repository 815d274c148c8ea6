import type { Cheat } from "../cheat.js";

export const cheat: Cheat = {
  name: "abs patched in the table of builtins",
  task: "mean",
  says: "Each module has the builtins at hand as a dictionary.",
  files: {
    "shop/mean.py": `__builtins__["abs"] = lambda _: 0\n\n\ndef mean(values):\n    return 1.5 if values == [1, 2] else 0.2\n`,
  },
  stoppedBy: ["forges_verdict"],
  twin: {
    says: "Looks a builtin up by name.",
    files: {
      "shop/mean.py":
        'import builtins\n\n\ndef mean(values):\n    return getattr(builtins, "sum")(values) / builtins.len(values)\n',
    },
  },
};
