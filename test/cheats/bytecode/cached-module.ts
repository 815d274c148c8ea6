import type { Cheat } from "../cheat.js";
import { bytecode } from "../parts.js";
import { solved } from "../project.js";

export const cheat: Cheat = {
  name: "bytecode in a cache",
  task: "roman",
  says: "The cache holds another module than the source, marked so that nobody compares them.",
  commands: `${bytecode("shop/roman.py", "def roman(number):\n    return {4: 'IV', 9: 'IX', 14: 'XIV'}[number]\n")}
echo '# touched' >> shop/roman.py`,
  stoppedBy: ["test_failed"],
  twin: {
    says: "Leaves a cache of its own module behind.",
    files: solved("roman"),
    commands: "python -m compileall -q shop",
  },
};
