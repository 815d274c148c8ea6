import { say } from "../base/prompts.js";
import { isCutOff } from "../dialogue/reply.js";
import { callsOfReply, tooMany } from "../dialogue/transcript/calls-of-reply.js";
import { HandsLost } from "../hands/ports/hands.js";
import type { AssistantMessage, ToolCall } from "../model/port/model-client.js";
import type { TaskSpan } from "../session/log/events.js";
import { type CallEnd, recorded } from "../tools/tool/recorded.js";
import { settle } from "../tools/tool/settle.js";
import { CapsBetweenCalls } from "./caps-between-calls.js";
import { type AcceptedCase, CapReached, TaskFailed } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import type { Conversation } from "./conversation.js";
import type { SubmitEnd, Submits } from "./submit.js";

export interface Turn {
  readonly run: RunContext;
  readonly span: TaskSpan;
  readonly conversation: Conversation;
  readonly submits: Submits;
}

/** Handles one reply of the worker and everything that follows from it; returns the case that was accepted, if one was. */
export async function takeTurn(turn: Turn): Promise<AcceptedCase | null> {
  const { conversation } = turn;
  const reply = await conversation.ask(turn.span);
  if (reply === null) return null;
  if (isCutOff(reply)) await answerCutOff(turn, reply.message);
  else if (reply.message.calls.length === 0) conversation.nudge(turn.span);
  else return acceptedIn(await answerCalls(turn, reply.message.calls));
  return null;
}

function acceptedIn(submit: SubmitEnd | null): AcceptedCase | null {
  if (submit?.kind === "spent") throw new TaskFailed("evaluator_cap", `none of ${submit.most} cases was accepted`);
  return submit?.kind === "accepted" ? submit.accepted : null;
}

async function answerCutOff(turn: Turn, message: AssistantMessage): Promise<void> {
  const content = say(message.calls.length === 0 ? "cut-off" : "cut-off-call");
  const { first, others } = callsOfReply(message.calls);
  for (const call of first) await answer(turn, call, async () => ({ content }));
  turn.conversation.leave(others, { why: "cut_off", content }, turn.span);
  if (message.calls.length === 0) turn.conversation.tell(content, turn.span);
}

/** Returns the end of the reply's submit, or null if it had none. */
async function answerCalls(turn: Turn, calls: readonly ToolCall[]): Promise<SubmitEnd | null> {
  const { run, conversation, span } = turn;
  conversation.calledTools();
  const { first, others } = callsOfReply(calls);
  const caps = new CapsBetweenCalls(run);
  let submit: SubmitEnd | null = null;
  for (const [index, call] of first.entries()) {
    const cap = index === 0 || submit !== null ? null : caps.met();
    if (cap !== null) {
      conversation.leave(calls.slice(index), { why: cap.reason, content: say("session-cap") }, span);
      throw new CapReached(cap);
    }
    if (submit !== null) await answer(turn, call, async () => ({ content: say("after-submit") }));
    else if (run.tools.isTerminal(call.name)) submit = await answer(turn, call, () => turn.submits.present(call, span));
    else await useTool(turn, call);
  }
  conversation.leave(others, tooMany(), span);
  return submit;
}

async function answer<E extends CallEnd>(
  { run, span, conversation }: Turn,
  call: ToolCall,
  work: () => Promise<E>,
): Promise<E> {
  const end = await recorded(call, { events: run.events, span }, work);
  conversation.answer(call, end.content);
  return end;
}

async function useTool(turn: Turn, call: ToolCall): Promise<void> {
  const { failure } = await answer(turn, call, () => runTool(turn, call));
  if (failure !== null) throw failure;
}

interface ToolEnd extends CallEnd {
  /** ends the task, once the call has its answer */
  readonly failure: TaskFailed | null;
}

async function runTool({ run, span }: Turn, call: ToolCall): Promise<ToolEnd> {
  const used = await run.workbench.use(call.name, span, (work) =>
    settle(call, run.tools, {
      work,
      events: run.events,
      span,
      toolTimeoutMs: run.settings.toolTimeoutSeconds * 1000,
      ruffRules: () => run.ruffRules().catch(noneWhereLost),
      signal: run.signal,
    }),
  );
  if (used.lost) return { content: say("environment-restarted"), failure: used.failure };
  return { content: used.value, failure: null };
}

/** The container that reads the ruff rules is not the worker's, so the worker goes on without them. */
function noneWhereLost(error: unknown): null {
  if (error instanceof HandsLost) return null;
  throw error;
}
