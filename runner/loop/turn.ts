import { say } from "../base/prompts.js";
import { isCutOff } from "../dialogue/reply.js";
import { callsOfReply, tooMany } from "../dialogue/transcript/calls-of-reply.js";
import { HandsLost } from "../hands/ports/hands.js";
import type { AssistantMessage, ToolCall } from "../model/port/model-client.js";
import type { TaskSpan } from "../session/log/events.js";
import { recorded } from "../tools/tool/recorded.js";
import { settle } from "../tools/tool/settle.js";
import { CapsBetweenCalls } from "./caps-between-calls.js";
import { CapReached } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import type { Conversation } from "./conversation.js";
import type { Submits } from "./submit.js";

export interface Turn {
  readonly run: RunContext;
  readonly span: TaskSpan;
  readonly conversation: Conversation;
  readonly submits: Submits;
}

/** Handles one reply of the worker and everything that follows from it. */
export async function takeTurn(turn: Turn): Promise<void> {
  const { conversation } = turn;
  const reply = await conversation.ask(turn.span);
  if (reply === null) return;
  if (isCutOff(reply)) await answerCutOff(turn, reply.message);
  else if (reply.message.calls.length === 0) conversation.nudge(turn.span);
  else await answerCalls(turn, reply.message.calls);
}

async function answerCutOff(turn: Turn, message: AssistantMessage): Promise<void> {
  const content = say(message.calls.length === 0 ? "cut-off" : "cut-off-call");
  const { first, others } = callsOfReply(message.calls);
  for (const call of first) await answer(turn, call, async () => content);
  turn.conversation.leave(others, { why: "cut_off", content }, turn.span);
  if (message.calls.length === 0) turn.conversation.tell(content, turn.span);
}

async function answerCalls(turn: Turn, calls: readonly ToolCall[]): Promise<void> {
  const { run, conversation, span } = turn;
  conversation.calledTools();
  const { first, others } = callsOfReply(calls);
  const caps = new CapsBetweenCalls(run);
  let submitted = false;
  for (const [index, call] of first.entries()) {
    const cap = index === 0 || submitted ? null : caps.met();
    if (cap !== null) {
      conversation.leave(calls.slice(index), { why: cap.reason, content: say("session-cap") }, span);
      throw new CapReached(cap);
    }
    await answer(turn, call, async () => {
      if (submitted) return say("after-submit");
      if (!turn.run.tools.isTerminal(call.name)) return runTool(turn, call);
      submitted = true;
      return turn.submits.present(call, turn.span);
    });
  }
  conversation.leave(others, tooMany(), span);
}

async function answer({ run, span, conversation }: Turn, call: ToolCall, work: () => Promise<string>): Promise<void> {
  conversation.answer(call, await recorded(call, { events: run.events, span }, work));
  run.workbench.failIfSpent();
}

async function runTool({ run, span }: Turn, call: ToolCall): Promise<string> {
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
  return used.lost ? say("environment-restarted") : used.value;
}

/** The container that reads the ruff rules is not the worker's, so the worker goes on without them. */
function noneWhereLost(error: unknown): null {
  if (error instanceof HandsLost) return null;
  throw error;
}
