import { z } from "zod";
import { Interrupted } from "../base/errors.js";
import { parseArguments } from "../model/port/call-arguments.js";
import type { Payload, TaskSpan } from "../session/log/events.js";
import { type AskDeps, ask } from "./ask.js";
import { announce, opening, type Prompt } from "./prompt.js";

type NotProposed = NonNullable<Payload<"proposed_learnings">["reason"]>;
export type Learning =
  | { readonly emitted: true; readonly entry: string }
  | { readonly emitted: false; readonly reason: NotProposed };

const replySchema = z.object({ propose: z.enum(["yes", "no"]), learning: z.string().nullish() });
const mostCharacters = 2_000;

/**
 * Asks one question after an accepted task. Best effort: a failure becomes the reason for no proposal, and the commit
 * goes on.
 */
export async function selfImprove(prompt: Prompt, span: TaskSpan, deps: AskDeps): Promise<Learning> {
  announce(prompt, "self_improve", deps.events, span);
  try {
    const reply = await ask(deps, {
      role: "worker",
      phase: "self_improve",
      attempt: 1,
      messages: opening(prompt),
      tools: [],
      span,
      bestEffort: true,
    });
    return reply.finishReason === "length" ? not("unparseable") : parseLearning(reply.message.content ?? "");
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return not("error");
  }
}

export function parseLearning(text: string): Learning {
  const args = parseArguments(unfenced(text));
  const reply = replySchema.safeParse(args.kind === "object" ? args.value : null);
  if (!reply.success) return not("unparseable");
  if (reply.data.propose === "no") return not("no_proposal");
  const entry = (reply.data.learning ?? "").trim().slice(0, mostCharacters);
  return entry === "" ? not("empty_learning") : { emitted: true, entry };
}

/** Returns the inside of a code fence if the whole reply is one. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  return /^```[a-zA-Z]*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1] ?? trimmed;
}

function not(reason: NotProposed): Learning {
  return { emitted: false, reason };
}
