import { say } from "../base/prompts.js";
import { type AskDeps, askUntilAnswered } from "../dialogue/ask.js";
import { isCutOff } from "../dialogue/reply.js";
import { callsOfReply, tooMany } from "../dialogue/transcript/calls-of-reply.js";
import type { Transcript } from "../dialogue/transcript/transcript.js";
import { HandsLost } from "../hands/ports/hands.js";
import type { Reading } from "../hands/ports/reading.js";
import type { ModelReply, ToolCall } from "../model/port/model-client.js";
import type { Span } from "../session/log/events.js";
import { oneLine } from "../text/sanitise.js";
import type { Frontend } from "../tools/interviewer/frontend.js";
import type { InterviewContext } from "../tools/interviewer/interview-context.js";
import { type CallEnd, recorded } from "../tools/tool/recorded.js";
import type { Registry } from "../tools/tool/registry.js";
import { settle } from "../tools/tool/settle.js";
import { previewed } from "./previews.js";
import { parseSeedCall } from "./seed-call.js";
import type { SeedSink } from "./seed-sink.js";

const shownWords = 300;

export type TurnEnd =
  | { readonly kind: "prepared" }
  /** the model stopped calling tools; `detail` has its last words on one line */
  | { readonly kind: "given_up"; readonly detail: string };

export interface TurnParts extends AskDeps {
  readonly reading: Reading;
  readonly frontend: Frontend;
  readonly sink: SeedSink;
}

interface Turn {
  readonly parts: TurnParts;
  readonly registry: Registry<InterviewContext>;
  readonly transcript: Transcript;
  readonly span: Span;
}

/** Handles one reply of the interviewer and everything that follows from it; null while the interview goes on. */
export async function takeTurn(turn: Turn): Promise<TurnEnd | null> {
  const reply = await nextReply(turn);
  if (isCutOff(reply)) return answerCutOff(turn, reply.message.calls);
  if (reply.message.calls.length === 0) return givenUp(reply);
  return answerCalls(turn, reply.message.calls);
}

async function nextReply({ parts, transcript, span }: Turn): Promise<ModelReply> {
  const reply = await transcript.ask(span, askUntilAnswered);
  transcript.keep(reply);
  const { prompt_tokens, eval_tokens } = parts.spend.of("interview");
  parts.frontend.updateTokens(prompt_tokens, eval_tokens);
  return reply;
}

async function answerCutOff(turn: Turn, calls: readonly ToolCall[]): Promise<null> {
  const content = say("interview-cut-off-call");
  const { first, others } = callsOfReply(calls);
  for (const call of first) await answer(turn, call, async () => ({ content }));
  turn.transcript.leave(others, { why: "cut_off", content }, turn.span);
  if (calls.length === 0) turn.transcript.tell(say("interview-cut-off"), turn.span);
  return null;
}

function givenUp({ message }: ModelReply): TurnEnd {
  const words = oneLine(message.content ?? "", shownWords);
  return { kind: "given_up", detail: words === "" ? "it stopped without a word" : words };
}

async function answerCalls(turn: Turn, calls: readonly ToolCall[]): Promise<TurnEnd | null> {
  let seed: SeedEnd | null = null;
  const { first, others } = callsOfReply(calls);
  for (const call of first) {
    if (seed !== null) await answer(turn, call, async () => ({ content: say("after-seed") }));
    else if (turn.registry.isTerminal(call.name)) seed = await answer(turn, call, () => handIn(turn, call));
    else await answer(turn, call, async () => ({ content: await useTool(turn, call) }));
  }
  turn.transcript.leave(others, tooMany(), turn.span);
  return seed?.isTaken ? { kind: "prepared" } : null;
}

async function answer<E extends CallEnd>(
  { parts, transcript, span }: Turn,
  call: ToolCall,
  work: () => Promise<E>,
): Promise<E> {
  const end = await recorded(call, { events: parts.events, span, shown: previewed }, work);
  transcript.answer(call, end.content);
  return end;
}

/** The next read starts the container again, so its loss is no more than this call's answer. */
async function useTool({ parts, registry }: Turn, call: ToolCall): Promise<string> {
  const { reading, frontend, signal } = parts;
  try {
    return await settle(call, registry, { work: reading, frontend, signal });
  } catch (error) {
    if (error instanceof HandsLost) return say("reading-lost");
    throw error;
  }
}

interface SeedEnd extends CallEnd {
  readonly isTaken: boolean;
}

async function handIn({ parts }: Turn, call: ToolCall): Promise<SeedEnd> {
  const seed = parseSeedCall(call);
  if (!seed.ok) return refused(seed.problem);
  const taken = await parts.sink.writeSeed(seed.value.bundle, parts.signal);
  if (!taken.ok) return refused(taken.problem);
  parts.frontend.showSummary(seed.value.summary);
  return { content: say("seed-taken"), isTaken: true };
}

function refused(problem: string): SeedEnd {
  return { content: say("seed-refused", { problem }), isTaken: false };
}
