import type { Refusal } from "./faults/refusal.js";
import type { Fields } from "./wire/fields.js";

/** A parameter that an endpoint refused, and its replacement. */
export interface LeftOut {
  readonly parameter: string;
  /** null when nothing replaces it */
  readonly sentInstead: string | null;
}

/** A request without these is none, or says something else. */
const needed = new Set([
  "model",
  "messages",
  "input",
  "instructions",
  "call_id",
  "summary",
  "encrypted_content",
  "tools",
  "role",
  "content",
  "tool_calls",
  "id",
  "type",
  "function",
  "name",
  "arguments",
  "tool_call_id",
]);
/** Messages of chat completions, and items of the Responses interface. */
const conversations = ["messages", "input"];
const effort = "reasoning_effort";
/** Names for the same thing; a gateway refuses under the name that its own provider knows. */
const sameThing: readonly (readonly string[])[] = [
  ["max_completion_tokens", "max_tokens", "max_output_tokens"],
  [effort, "think", "thinking", "reasoning"],
];
/** Old and local servers know only `max_tokens`, OpenAI's reasoning models only `max_completion_tokens`. */
const successors: Readonly<Record<string, string>> = {
  max_completion_tokens: "max_tokens",
  max_tokens: "max_completion_tokens",
};

/** A parameter that is refused unless the other one is sent too. */
const onlyWith: Readonly<Record<string, string>> = { stream_options: "stream" };

/**
 * Remembers for one route what its endpoint refused, and leaves it out while this process lives. Each name is answered
 * once: refusing a name again that was changed already is final.
 */
export class Omissions {
  /** the replacement by refused name */
  readonly #refused = new Map<string, string | null>();
  #reasonsOnlyWithoutTools = false;

  /** Returns the body without the refused names, or the same body when nothing was refused. */
  apply(body: Fields): Fields {
    if (this.#refused.size === 0 && !this.#reasonsOnlyWithoutTools) return body;
    const fields = Object.entries(body).flatMap(([name, value]) => this.#top(name, value));
    const noEffort = this.#reasonsOnlyWithoutTools && "tools" in body ? { [effort]: "none" } : {};
    return { ...Object.fromEntries(fields), ...noEffort };
  }

  /** Returns the changes to make after a refusal of `sent`, or none when it names nothing that could be left out. */
  learn(sent: Fields, refusal: Refusal): readonly LeftOut[] {
    if (refusal.ofToolsWithEffort) return this.#learnOfTools(sent);
    const optional = optionalNames(sent);
    const meanings = refusal.named.flatMap((path) => meaningsOf(path, optional));
    const exact = new Set(meanings.filter(({ isExact }) => isExact).map(({ name }) => name));
    return [...new Set(meanings.map(({ name }) => name))]
      .filter((name) => !this.#isAnswered(name, sent))
      .map((name) => this.#refuse(name, exact.has(name) && !refusal.ofValue));
  }

  #learnOfTools(sent: Fields): readonly LeftOut[] {
    if (this.#reasonsOnlyWithoutTools || !("tools" in sent)) return [];
    this.#reasonsOnlyWithoutTools = true;
    return [{ parameter: effort, sentInstead: `${effort}=none` }];
  }

  #isAnswered(name: string, sent: Fields): boolean {
    return this.#refused.has(name) || (name === effort && this.#reasonsOnlyWithoutTools && "tools" in sent);
  }

  #refuse(name: string, mayGoOn: boolean): LeftOut {
    const successor = mayGoOn ? (successors[name] ?? null) : null;
    const sentInstead = successor !== null && !this.#refused.has(successor) ? successor : null;
    this.#refused.set(name, sentInstead);
    return { parameter: name, sentInstead };
  }

  #top(name: string, value: unknown): [string, unknown][] {
    const as = this.#nameFor(name);
    if (as === null || this.#refused.has(onlyWith[name] ?? "")) return [];
    return [
      [as, conversations.includes(name) && Array.isArray(value) ? value.map((one) => this.#message(one)) : value],
    ];
  }

  #nameFor(name: string): string | null {
    let as: string | null = name;
    while (as !== null && this.#refused.has(as)) as = this.#refused.get(as) ?? null;
    return as;
  }

  #message(message: unknown): unknown {
    if (!isFields(message) || !isTheirs(message)) return message;
    return this.#without(message, "tool_calls", (calls) =>
      Array.isArray(calls) ? calls.map((call) => this.#call(call)) : calls,
    );
  }

  #call(call: unknown): unknown {
    if (!isFields(call)) return call;
    return this.#without(call, "function", (called) => (isFields(called) ? this.#without(called) : called));
  }

  /** Keeps the order of the fields, because a provider's cache knows a conversation by its bytes. */
  #without(fields: Fields, within?: string, change: (value: unknown) => unknown = (value) => value): Fields {
    const kept = Object.entries(fields).filter(([name]) => !this.#refused.has(name));
    return Object.fromEntries(kept.map(([name, value]) => [name, name === within ? change(value) : value]));
  }
}

/** Lists the parameters of a request, and the fields of assistant messages and their calls, that it can do without. */
function optionalNames(sent: Fields): readonly string[] {
  const messages = conversations.flatMap((name) => fieldsIn(sent[name])).filter(isTheirs);
  const calls = messages.flatMap((message) => fieldsIn(message.tool_calls));
  const functions = calls.flatMap((call) => fieldsIn([call.function]));
  const names = [sent, ...messages, ...calls, ...functions].flatMap((fields) => Object.keys(fields));
  return [...new Set(names)].filter((name) => !needed.has(name));
}

interface Meaning {
  readonly name: string;
  /** false when another word for the same thing was used */
  readonly isExact: boolean;
}

/**
 * Finds the names that a path means: the path itself, its innermost part that is a name, or another word for the same.
 */
function meaningsOf(path: string, optional: readonly string[]): readonly Meaning[] {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== "");
  // a tool's schema may have a property of any name
  if (parts.includes("tools")) return [];
  for (const part of [parts.join(""), ...parts.toReversed()]) {
    const same = optional.find((name) => bare(name) === bare(part));
    if (same !== undefined) return [{ name: same, isExact: true }];
  }
  const words = sameThing.find((group) => group.some((word) => bare(word) === bare(path))) ?? [];
  return optional.filter((name) => words.includes(name)).map((name) => ({ name, isExact: false }));
}

/** Tells whether the model said this and it is handed back. */
function isTheirs({ role, type }: Fields): boolean {
  return role === "assistant" || type === "reasoning" || type === "function_call";
}

/** Makes `reasoningEffort` and `reasoning_effort` equal. */
function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
