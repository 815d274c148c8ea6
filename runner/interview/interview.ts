import { opening, recordPrompt } from "../dialogue/prompt.js";
import { Transcript } from "../dialogue/transcript.js";
import type { EnvironmentShown } from "../memory/environment-text.js";
import { interviewPrompt } from "../memory/interview-prompt.js";
import type { ToolDefinition } from "../model/port/model-client.js";
import type { Prd } from "../session/prd.js";
import { interviewTools } from "../tools/interview-tools.js";
import { previewed } from "./previews.js";
import { type TurnEnd, type TurnParts, takeTurn } from "./turn.js";

/** The one cap. What came back empty is no reply. */
const mostReplies = 60;
const remedy =
  "set TILTH_PREP_MODEL to a model with more context, or ask for less at once, then start the interview again";

export type InterviewEnd = TurnEnd | { readonly kind: "out_of_replies" };

export interface InterviewParts extends TurnParts {
  /** what the person typed */
  readonly brief: string;
  /** of the first task to be written, e.g. T-004 */
  readonly firstId: string;
  /** of the session that tasks are added to; null for a new one */
  readonly plan: Prd | null;
  /** what the box has, one line each */
  readonly tools: readonly string[];
  /** what the tasks will be tested in; none unless given */
  readonly environment?: EnvironmentShown | null;
  /** what a prompt may come to; null: as much as the provider takes */
  readonly contextTokens: number | null;
}

/**
 * From a brief to a seed in the sink; knows nothing of terminals, nor of where a seed is kept. Every end but `prepared`
 * left the sink without a seed, and so did an error on its way out (interrupted, infra, a refusal of the provider):
 * all but one of the log, which may fail after the seed was taken.
 */
export async function interview(parts: InterviewParts): Promise<InterviewEnd> {
  const registry = interviewTools();
  const transcript = openTranscript(parts, registry.definitions);
  for (let iter = 1; iter <= mostReplies; iter += 1) {
    const end = await takeTurn({ parts, registry, transcript, span: { iter } });
    if (end !== null) return end;
  }
  return { kind: "out_of_replies" };
}

function openTranscript(parts: InterviewParts, tools: readonly ToolDefinition[]): Transcript {
  const { brief, firstId, plan, contextTokens, environment = null } = parts;
  const prompt = interviewPrompt({ brief, firstId, plan, tools: parts.tools, environment, mostReplies });
  recordPrompt(prompt, "interview", parts.events, { iter: 0 });
  const speaker = { role: "interviewer", phase: "interview", tools, remedy, shown: previewed, contextTokens } as const;
  return new Transcript(parts, speaker, opening(prompt));
}
