import { createHash } from "node:crypto";
import type { Endpoint, Role } from "../../settings/endpoints.js";
import type { Fields } from "../wire/fields.js";

/** One role's conversation in a session. All its prompts begin alike, so a provider that can caches them together. */
export interface Talk {
  readonly session: string;
  readonly role: Role;
}

interface Provider {
  /** matches the host or the end of its name */
  readonly host: RegExp;
  readonly extras: (model: string, talk: Talk) => Fields;
  /** the field of chat completions for the most tokens of a reply; `max_tokens` by default */
  readonly replyLimit?: string;
}

/**
 * Marks the end of each prompt as the end of the part to cache; this place leaves the prompt's own bytes as they are.
 */
const cacheTheWhole = { cache_control: { type: "ephemeral" } };

/** Providers, known by their addresses, that get more than the common interface has or know a field by another name. */
const providers: readonly Provider[] = [
  {
    host: /(^|\.)openrouter\.ai$/,
    extras: (model) => ({
      usage: { include: true },
      include_reasoning: true,
      // prompts of other models are cached anyway, and for those this field would restrict the choice of hosts
      ...(model.startsWith("anthropic/") ? cacheTheWhole : {}),
    }),
  },
  { host: /^api\.anthropic\.com$/, extras: () => cacheTheWhole },
  {
    host: /(^|\.)api\.openai\.com$|\.openai\.azure\.com$|\.services\.ai\.azure\.com$/,
    extras: (_, talk) => ({ prompt_cache_key: keyOf(talk) }),
    // its reasoning models refuse the other name
    replyLimit: "max_completion_tokens",
  },
];

/** Returns the fields that an endpoint gets beyond the common interface. */
export function extrasOf(endpoint: Endpoint, talk: Talk): Fields {
  return providerAt(endpoint)?.extras(endpoint.model, talk) ?? {};
}

/**
 * Returns the chat completions field for the most tokens of a reply; many local servers silently ignore the newer name.
 */
export function replyLimitOf(endpoint: Endpoint): string {
  return providerAt(endpoint)?.replyLimit ?? "max_tokens";
}

function providerAt({ baseUrl }: Endpoint): Provider | undefined {
  const { hostname } = new URL(baseUrl);
  return providers.find(({ host }) => host.test(hostname));
}

/** Hashed, because a session's id says when it was made, which is nobody's business there. */
function keyOf({ session, role }: Talk): string {
  return `tilth-${createHash("sha256").update(`${session} ${role}`).digest("hex").slice(0, 24)}`;
}
