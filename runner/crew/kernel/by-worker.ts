import { isRole, itemNamed, posted, withItem, withRole } from "./access.js";
import type { Handlers } from "./asked.js";
import { type Circumstances, moved, type Outcome, refused } from "./move.js";
import { questionsFor, waitingMoves } from "./moves.js";
import type { AnswerTo, CrewState, Item } from "./state.js";
import type { Maker, Role, Worker } from "./words.js";

export const byWorker: Handlers<
  | "log_progress"
  | "done"
  | "start"
  | "complete_task"
  | "ask"
  | "report_blocked"
  | "submit_validation"
  | "answer"
  | "submit_playtest"
  | "contribute"
> = {
  log_progress: (state, { text }, { actor, now }) => {
    const role = actor as Role;
    const line = { before: state.progress[role], text, at: now };
    return { state: { ...state, progress: { ...state.progress, [role]: line } } };
  },
  done: (state, _, asking) => {
    const role = asking.actor as Role;
    const { item } = state.roles[role];
    if (item !== null) return refused("§7", `You hold ${item}: hand it in, ask, or say what blocks it.`);
    const [question] = questionsFor(state, role);
    if (question !== undefined) return refused("§5", `The question ${question.id} waits for your answer.`);
    const [move] = role === "pm" ? waitingMoves(state, asking) : [];
    if (move !== undefined) return refused("§5", `${move.item.id} waits for you: it can become ${move.to}.`);
    return { state };
  },
  start: (state, { item }, asking) => moved(state, item, "in_progress", asking),
  complete_task: (state, { ac_coverage: coverage, ...said }, asking) =>
    ofHeld(state, asking, (item) => {
      const left = item.acceptanceCriteria.find((each) => !coverage.some(({ criterion }) => criterion === each));
      if (left !== undefined) return refused("§7", `Say how you met the criterion: ${left}`);
      const { summary, work_arounds, uncertainties } = said;
      const handIn = { summary, coverage, work_arounds, uncertainties };
      return { state: withItem(state, { ...item, handIn, candidate: null }), item: item.id };
    }),
  ask: (state, { to, question, context }, { actor, now }) => {
    const from = actor as Worker;
    if (to === from) return refused("§5", "Nobody asks itself: ask the PM.");
    const type = to === "pm" ? "question" : "design_question";
    const payload = { question, context, item: state.roles[from].item };
    return { state: posted(state, type, to, payload, now, { from }) };
  },
  report_blocked: (state, { reason }, asking) =>
    ofHeld(state, asking, (item) => ({
      state: withItem(state, { ...item, setback: { kind: "blocked", reason } }),
      item: item.id,
    })),
  submit_validation: (state, { result, tree, criteria, steps, bugs }) => {
    const id = state.roles.qa.item;
    const item = id === null ? null : itemNamed(state, id);
    if (item === null || item.status !== "awaiting_qa") return refused("T5", "You hold no item that waits for QA.");
    if (item.candidate?.tree !== tree)
      return refused("T5", `${item.id} was judged on another tree than its candidate.`);
    const missing =
      unanswered("criterion", item.acceptanceCriteria, criteria) ?? unanswered("step", item.verificationSteps, steps);
    if (missing !== null) return refused("T5", `${missing} has no answer.`);
    const failed = [...criteria, ...steps].some((answer) => answer.result === "fail");
    if (result === "PASSED" && (failed || bugs.length > 0))
      return refused("T5", "An item with a failed answer or a bug has not passed.");
    if (result === "FAILED" && bugs.length === 0) return refused("T6", "A failure names at least one bug.");
    const validation = { result, tree, criteria, steps, bugs };
    return { state: withItem(state, { ...item, validation }), item: item.id };
  },
  answer: (state, { message: id, answer }, { actor, now }) => {
    const role = actor as Role;
    const question = questionsFor(state, role).find((each) => each.id === id);
    if (question === undefined) return refused("§5", `No question ${id} waits for you.`);
    const type = question.type === "question" ? "answer" : "design_answer";
    const from = { from: role, replyTo: id };
    const asker = question.from;
    if (!isRole(asker)) return refused("§5", `The message ${id} has nobody to answer.`);
    const answered = posted(state, type, asker, { answer, question: question.payload.question }, now, from);
    const queue = answered.queues[role].filter((each) => each.id !== id);
    const taken = { ...answered, queues: { ...answered.queues, [role]: queue } };
    const { turn } = taken.roles[asker];
    return { state: turn === null ? withRole(taken, asker, { status: "idle", awaitingSince: null }) : taken };
  },
  submit_playtest: (state, { item: id, summary, issues }) => {
    const item = itemNamed(state, id);
    if (item?.status !== "playtest_phase") return refused("T13", `${id} is not to be played now.`);
    return { state: withItem(state, { ...item, playtest: { summary, issues } }), item: item.id };
  },
  contribute: (state, { item: id, worked, hurt, change }, { actor }) => {
    const item = itemNamed(state, id);
    if (item?.status !== "in_retrospective") return refused("T11", `Nobody looks back at ${id} now.`);
    const contributions = { ...item.contributions, [actor]: { worked, hurt, change } };
    return { state: withItem(state, { ...item, contributions }), item: item.id };
  },
};

function ofHeld(state: CrewState, { actor }: Circumstances, act: (item: Item) => Outcome): Outcome {
  const id = state.roles[actor as Maker].item;
  const item = id === null ? null : itemNamed(state, id);
  if (item === null) return refused("§7", "You hold no item.");
  return item.status === "in_progress" ? act(item) : refused("T3", `${item.id} is ${item.status}.`);
}

function unanswered<Name extends "criterion" | "step">(
  name: Name,
  asked: readonly string[],
  answers: readonly AnswerTo<Name>[],
): string | null {
  const left = asked.find((each) => !answers.some((answer) => answer[name] === each));
  return left === undefined ? null : `The ${name} “${left}”`;
}
