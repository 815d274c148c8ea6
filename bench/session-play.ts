import type { SpokenTurn } from "../runner/demo/script/script.js";
import type { Play, ReceivedRequest } from "./played-model.js";
import { rareWord } from "./python-files.js";
import { type AnswerTask, answerTask, answerText } from "./staged.js";
import { calls, nothingLearned, submitted, verdict } from "./turns.js";

export const tasks = 5;

/** Fifteen replies of a worker on a task: it looks around, writes, tries, mends and presents. */
const usual: readonly ((task: AnswerTask) => SpokenTurn)[] = [
  () => calls(["glob", { pattern: "**/*.py" }]),
  () => calls(["read_file", { path: "README.md" }]),
  ({ testName }) => calls(["read_file", { path: `tests/${testName}` }]),
  () => calls(["grep", { pattern: rareWord }]),
  () => calls(["bash", { command: "git log --oneline" }]),
  () => calls(["read_file", { path: "pkg/part_0/module_0.py" }]),
  ({ module }) => calls(["write_file", { path: module, content: "def answer():\n    return None\n" }]),
  ({ testName }) => calls(["bash", { command: `python -m pytest -q tests/${testName}` }]),
  ({ module }) => calls(["edit_file", { path: module, old_string: "None", new_string: "-1" }]),
  () => calls(["bash", { command: "git status --short" }]),
  ({ module, number }) => calls(["edit_file", { path: module, old_string: "-1", new_string: String(number) }]),
  ({ testName }) => calls(["bash", { command: `python -m pytest -q tests/${testName}` }]),
  ({ module }) => calls(["read_file", { path: module }]),
  () => calls(["bash", { command: "git diff --stat" }]),
  ({ module }) => submitted(`${module}:answer`),
];

/** The second task is presented too early once, and the third is rejected once. */
function stepsOf(task: AnswerTask): readonly SpokenTurn[] {
  const steps = usual.map((step) => step(task));
  const { module, number } = task;
  const present = submitted(`${module}:answer`);
  if (number === 2) return [...steps.slice(0, 7), present, ...steps.slice(8)];
  const again = calls(["write_file", { path: module, content: answerText(number, "as asked") }]);
  return number === 3 ? [...steps, again, present] : steps;
}

/** Gives the turn for the `index`-th request of a role. */
export function fiveTaskTurns(): (asked: Pick<ReceivedRequest, "role" | "index">) => SpokenTurn {
  const worker = Array.from({ length: tasks }, (_, at) => stepsOf(answerTask(at + 1))).flat();
  return ({ role, index }) => {
    if (role === "self_improve") return nothingLearned;
    if (role === "evaluator") return verdict(index !== 2);
    return worker[index] ?? { quiet: "I have nothing more to say." };
  };
}

export function fiveTasks(thinkMs = 0): Play {
  return { ...(thinkMs === 0 ? {} : { thinkMs }), turn: fiveTaskTurns() };
}
