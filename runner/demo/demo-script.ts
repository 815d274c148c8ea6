import { accept, reject, type Script, type ScriptedRequest, type SpokenTurn } from "./script/script.js";
import type { Step } from "./script/steps.js";
import { addAndList } from "./worker/add-and-list.js";
import { exporting } from "./worker/exporting.js";
import { keepInAFile } from "./worker/keep-in-a-file.js";
import { markDone } from "./worker/mark-done.js";
import { priorities } from "./worker/priorities.js";

const play: Readonly<Record<string, readonly Step[]>> = {
  "T-001": addAndList,
  "T-002": markDone,
  "T-003": keepInAFile,
  "T-004": priorities,
  "T-005": exporting,
};

/**
 * The replies of the demo's models. They depend on the request alone, so the play goes on after any interruption: the
 * task is the one that a line of its prompt begins with, the step is the number of replies already in the conversation.
 */
export const demoScript: Script = {
  worker: counted(worker),
  evaluator: counted(evaluator),
  self_improve: counted(selfImprove),
};

/** Reports token counts of a realistic size, for the summary. */
function counted(answer: (request: ScriptedRequest) => SpokenTurn): (request: ScriptedRequest) => SpokenTurn {
  return (request) => ({
    ...answer(request),
    usage: { prompt: Math.ceil(JSON.stringify(request.body).length / 4), completion: 80 },
  });
}

function worker(request: ScriptedRequest): SpokenTurn {
  const task = taskIn(request);
  const step = play[task]?.[request.messages.filter((message) => message.role === "assistant").length];
  if (!step) return { quiet: `The script has nothing more for ${task}.` };
  const answers = sinceLastReply(request);
  if (step.seen && !step.seen.test(answers)) {
    return { quiet: `The script for ${task} expects ${step.seen}, and was answered: ${answers}` };
  }
  return { calls: step.calls(), ...(step.says === undefined ? {} : { content: step.says }) };
}

function evaluator(request: ScriptedRequest): SpokenTurn {
  const replacesFile = textOf(request).includes("os.replace(");
  if (taskIn(request) !== "T-003" || replacesFile) return accept("The diff does what each criterion asks.");
  return reject(
    "acceptance_gap",
    "The second criterion is not met: save() writes over the old file, so a crash in the middle leaves half a list.",
    "In todo/storage.py, save(): write to a file beside it, sync it, and rename it over the old one.",
    ["todo/storage.py: path.write_text(...)"],
  );
}

function selfImprove(request: ScriptedRequest): SpokenTurn {
  if (taskIn(request) !== "T-003") return { quiet: '{"propose": "no"}' };
  const learning =
    "Files are written beside and renamed over the old one (todo/storage.py:save); new formats should do the same.";
  return { quiet: JSON.stringify({ propose: "yes", learning }) };
}

function taskIn(request: ScriptedRequest): string {
  const opening = request.messages
    .filter((message) => message.role === "user")
    .map((message) => String(message.content));
  return /^(T-\d{3,}): /m.exec(opening.join("\n"))?.[1] ?? "no task";
}

function sinceLastReply({ messages }: ScriptedRequest): string {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  return messages
    .slice(last + 1)
    .map((message) => String(message.content))
    .join("\n");
}

function textOf({ messages }: ScriptedRequest): string {
  return messages.map((message) => String(message.content)).join("\n");
}
