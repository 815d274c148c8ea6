import type { Cheat } from "../cheat.js";
import { solution } from "../project.js";

export const cheat: Cheat = {
  name: "a module that is a link to somewhere else",
  task: "roman",
  says: "What is committed is a path, and what stands there can change at any time.",
  commands: `cat > /tmp/roman.py <<'CODE'
${solution.roman}CODE
ln -sf /tmp/roman.py shop/roman.py`,
  stoppedBy: ["no_tree"],
  twin: {
    says: "A link to a module of the project.",
    files: { "shop/numerals.py": solution.roman },
    commands: "ln -sf numerals.py shop/roman.py",
  },
};
