import type { Script, ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { bash, type Call, caseOf, write } from "./loop-turns.js";

const verdict = (verdict: "accept" | "reject"): Call => [
  "submit_verdict",
  {
    verdict,
    rejection_category: verdict === "reject" ? "weak_test" : null,
    concern: "As it says.",
    evidence: [],
    next_step: verdict === "reject" ? "Do it again." : null,
  },
];

/**
 * Plays everything that a session can have: calls beside one another, words alone, a cut, malformed arguments, a
 * rejection.
 */
function worker({ messages }: ScriptedRequest): Turn {
  const n = /^1\. Criterion of (\d+)$/m.exec(messages.map(({ content }) => String(content)).join("\n"))?.[1];
  const steps: readonly Turn[] = [
    { calls: [bash("ls"), bash("pwd")], content: "I look around." },
    { quiet: "I think." },
    { cut: ["bash", { command: "ls" }] },
    { calls: [["bash", "[1]"], write("notes.txt", "nothing yet\n")] },
    { calls: [write(`feature_${n}.py`, `value = ${n}\n`), ["submit_case", caseOf()]] },
    { calls: [["submit_case", caseOf("Again.")]] },
  ];
  return steps[messages.filter(({ role }) => role === "assistant").length] ?? { quiet: "There is no more." };
}

function evaluator({ messages }: ScriptedRequest): Turn {
  const text = JSON.stringify(messages);
  return { calls: [verdict(text.includes("T-002: ") && !text.includes("As it says.") ? "reject" : "accept")] };
}

/** A session of three tasks: the evaluator rejects the second one once. */
export const eventfulPlay: Script = { worker, evaluator };
