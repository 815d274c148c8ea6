import { TilthError } from "../base/errors.js";
import { say } from "../base/prompts.js";
import { ContextFull, type Message, type ModelReply } from "../model/port/model-client.js";
import type { Verdict } from "../session/log/events/verdicts.js";
import type { TaskSpan } from "../session/log/events.js";
import { submitVerdict } from "../tools/submit-verdict.js";
import { type AskDeps, askUntilAnswered } from "./ask.js";
import { announce, opening, type Prompt } from "./prompt.js";
import { parseVerdict } from "./verdict.js";

const attempts = 2;

export interface Judgement {
  readonly prompt: Prompt;
  readonly span: TaskSpan;
}

/** Makes one evaluator call as the caps count it: at most two attempts, then the harness rejects by itself. */
export async function evaluate(judgement: Judgement, deps: AskDeps): Promise<Verdict> {
  const { prompt, span } = judgement;
  announce(prompt, "evaluator", deps.events, span);
  const messages: Message[] = [...opening(prompt)];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const reply = await answer(messages, attempt, span, deps);
    const verdict = parseVerdict(reply);
    if (verdict.ok) return verdict.value;
    const error = say("verdict-unreadable", { problem: verdict.problem });
    deps.events.append("evaluator_parse_error", { ...span, attempt, error, raw: rawOf(reply) });
    messages.push(reply.message, ...answers(reply, error));
  }
  return unreadableTwice;
}

async function answer(
  messages: readonly Message[],
  attempt: number,
  span: TaskSpan,
  deps: AskDeps,
): Promise<ModelReply> {
  try {
    return await askUntilAnswered(deps, {
      role: "evaluator",
      phase: "evaluator",
      attempt,
      messages: [...messages],
      tools: [submitVerdict.definition],
      span,
    });
  } catch (error) {
    if (!(error instanceof ContextFull)) throw error;
    throw new TilthError(
      "infra",
      `the evaluator's prompt does not fit its model's context: ${error.message}`,
      "lower TILTH_MAX_DIFF_KB or set TILTH_EVALUATOR_MODEL to a model with more context, then tilth resume",
      error,
    );
  }
}

function answers(reply: ModelReply, error: string): readonly Message[] {
  if (reply.message.calls.length === 0) return [{ role: "user", content: error }];
  return reply.message.calls.map((call) => ({ role: "tool", callId: call.id, content: error }));
}

function rawOf({ message }: ModelReply): string {
  return JSON.stringify({ content: message.content, calls: message.calls });
}

const unreadableTwice: Verdict = {
  verdict: "reject",
  rejection_category: null,
  concern: say("rejected-unparsed"),
  evidence: [],
  next_step: null,
  parse_failed: true,
};
