import { opening, recordPrompt } from "../dialogue/prompt.js";
import { Transcript } from "../dialogue/transcript/transcript.js";
import type { EnvironmentShown } from "../memory/environment-text.js";
import { interviewPrompt } from "../memory/interview-prompt.js";
import type { Prd } from "../session/state/prd.js";
import { interviewTools } from "../tools/roles.js";
import type { ToolSet } from "../tools/tool/registry.js";
import { previewed } from "./previews.js";
import { type TurnEnd, type TurnParts, takeTurn } from "./turn.js";

/** The only cap. An empty reply does not count. */
const mostReplies = 60;
const remedy =
  "set TILTH_PREP_MODEL to a model with more context, or ask for less at once, then start the interview again";

export type InterviewEnd = TurnEnd | { readonly kind: "out_of_replies" };

export interface InterviewParts extends TurnParts {
  /** the person's own words */
  readonly brief: string;
  /** id of the first task to be written, e.g. T-004 */
  readonly firstId: string;
  /** plan of the session that tasks are added to; null for a new session */
  readonly plan: Prd | null;
  /** the tools in the box, one line each */
  readonly tools: readonly string[];
  /** the environment the tasks will be tested in; none by default */
  readonly environment?: EnvironmentShown | null;
  /** largest prompt in tokens; null: as much as the provider takes */
  readonly contextTokens: number | null;
}

/**
 * Leads from a brief to a seed in the sink; knows nothing of terminals or of where a seed is kept. After every end but
 * `prepared`, and after any error (interrupted, infra, a refusal of the provider), the sink has no seed. The one
 * exception is an error of the log, which may come after the seed was accepted.
 */
export async function interview(parts: InterviewParts): Promise<InterviewEnd> {
  const registry = interviewTools();
  const transcript = openTranscript(parts, registry);
  for (let iter = 1; iter <= mostReplies; iter += 1) {
    const end = await takeTurn({ parts, registry, transcript, span: { iter } });
    if (end !== null) return end;
  }
  return { kind: "out_of_replies" };
}

function openTranscript(parts: InterviewParts, tools: ToolSet): Transcript {
  const { brief, firstId, plan, contextTokens, environment = null } = parts;
  const prompt = interviewPrompt({ brief, firstId, plan, tools: parts.tools, environment, mostReplies });
  recordPrompt(prompt, "interview", parts.events, { iter: 0 });
  const speaker = { role: "interviewer", phase: "interview", tools, remedy, shown: previewed, contextTokens } as const;
  return new Transcript(parts, speaker, opening(prompt));
}
