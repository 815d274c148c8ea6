import { TilthError } from "../errors.js";
import { ContextFull, type Message, type ModelReply } from "../model/model-client.js";
import { say } from "../prompts.js";
import type { TaskSpan, Verdict } from "../session/events.js";
import type { Parsed } from "../tools/arguments.js";
import { submitVerdict } from "../tools/submit-verdict.js";
import { type AskDeps, askUntilAnswered } from "./ask.js";
import { announce, opening, type Prompt } from "./prompt.js";
import { parseVerdict } from "./verdict.js";

const attempts = 2;

export interface Judgement {
  readonly prompt: Prompt;
  readonly span: TaskSpan;
  /** the size of a diff that could only be shown in part, and so cannot be accepted; null when all of it is shown */
  readonly cutDiffBytes: number | null;
}

/** One evaluator call in the sense of the caps: two attempts at most, then a reject of the harness's own. */
export async function evaluate(judgement: Judgement, deps: AskDeps): Promise<Verdict> {
  const { prompt, span } = judgement;
  announce(prompt, "evaluator", deps.events, span);
  const messages: Message[] = [...opening(prompt)];
  let readable = false;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const reply = await answer(messages, attempt, span, deps);
    const verdict = parseVerdict(reply);
    const allowed = judgement.cutDiffBytes === null ? verdict : withoutAccept(verdict);
    if (allowed.ok) return allowed.value;
    readable = verdict.ok;
    const error = say("verdict-unreadable", { problem: allowed.problem });
    deps.events.append("evaluator_parse_error", { ...span, attempt, error, raw: rawOf(reply) });
    messages.push(reply.message, ...answers(reply, error));
  }
  const tooLarge = readable && judgement.cutDiffBytes !== null;
  return syntheticReject(
    tooLarge ? say("rejected-too-large", { bytes: String(judgement.cutDiffBytes) }) : say("rejected-unparsed"),
  );
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
      tools: [submitVerdict],
      span,
    });
  } catch (error) {
    if (!(error instanceof ContextFull)) throw error;
    throw new TilthError(
      "infra",
      "the evaluator's prompt does not fit its model's context",
      "lower TILTH_MAX_DIFF_KB or set TILTH_EVALUATOR_MODEL to a model with more context, then tilth resume",
      error,
    );
  }
}

function withoutAccept(verdict: Parsed<Verdict>): Parsed<Verdict> {
  if (!verdict.ok || verdict.value.verdict === "reject") return verdict;
  return { ok: false, problem: "verdict: the diff is not shown whole, so it cannot be accepted" };
}

function answers(reply: ModelReply, error: string): readonly Message[] {
  if (reply.message.calls.length === 0) return [{ role: "user", content: error }];
  return reply.message.calls.map((call) => ({ role: "tool", callId: call.id, content: error }));
}

function rawOf({ message }: ModelReply): string {
  return JSON.stringify({ content: message.content, calls: message.calls });
}

function syntheticReject(concern: string): Verdict {
  return {
    verdict: "reject",
    rejection_category: null,
    concern,
    evidence: [],
    next_step: null,
    parse_failed: true,
  };
}
