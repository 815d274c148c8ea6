import { createHash } from "node:crypto";
import type { Endpoint, Role } from "../../base/settings.js";
import type { Fields } from "../wire/fields.js";

/** A role's conversation in a session: its prompts of one role and session begin alike, and are kept together where a provider can. */
export interface Talk {
  readonly session: string;
  readonly role: Role;
}

interface Provider {
  /** the host, or what its name ends with */
  readonly host: RegExp;
  readonly extras: (model: string, talk: Talk) => Fields;
  /** chat completions' name for the most tokens of a reply; `max_tokens` unless given */
  readonly replyLimit?: string;
}

/** Marks the end of each prompt as the end of what is kept; where it stands, the prompt's own bytes stay as they are. */
const cacheTheWhole = { cache_control: { type: "ephemeral" } };

/** Providers that are told more than the common interface has, or under another name; each is known by its address. */
const providers: readonly Provider[] = [
  {
    host: /(^|\.)openrouter\.ai$/,
    extras: (model) => ({
      usage: { include: true },
      include_reasoning: true,
      // other models' prompts are kept without a word, and this one would choose among their hosts
      ...(model.startsWith("anthropic/") ? cacheTheWhole : {}),
    }),
  },
  { host: /^api\.anthropic\.com$/, extras: () => cacheTheWhole },
  {
    host: /(^|\.)api\.openai\.com$|\.openai\.azure\.com$|\.services\.ai\.azure\.com$/,
    extras: (_, talk) => ({ prompt_cache_key: keyOf(talk) }),
    // their reasoning models refuse the other name
    replyLimit: "max_completion_tokens",
  },
];

/** Asks an endpoint for more than the common interface has. */
export function extrasOf(endpoint: Endpoint, talk: Talk): Fields {
  return providerAt(endpoint)?.extras(endpoint.model, talk) ?? {};
}

/** The name under which chat completions ask for the most tokens of a reply; many local servers ignore the newer one without a word. */
export function replyLimitOf(endpoint: Endpoint): string {
  return providerAt(endpoint)?.replyLimit ?? "max_tokens";
}

function providerAt({ baseUrl }: Endpoint): Provider | undefined {
  const { hostname } = new URL(baseUrl);
  return providers.find(({ host }) => host.test(hostname));
}

/** A session's id says when it was made, which is nobody's business there. */
function keyOf({ session, role }: Talk): string {
  return `tilth-${createHash("sha256").update(`${session} ${role}`).digest("hex").slice(0, 24)}`;
}
