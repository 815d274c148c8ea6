import { createHash } from "node:crypto";
import type { Api } from "../base/apis.js";
import type { Fault } from "./faults/faults.js";
import { interfaces } from "./interfaces.js";
import type { LeftOut } from "./left-out.js";
import { withPlainSchema } from "./plain-schema.js";
import { type Fields, fieldsOf } from "./wire/fields.js";

/** A way in which an endpoint wants its requests, told by the words that it refuses others in. */
interface Manner extends LeftOut {
  readonly says: RegExp;
  change(body: Fields, api: Api): Fields;
}

/** Google accepts this in place of a signature. */
const unsigned = "skip_thought_signature_validator";

const manners: readonly Manner[] = [
  {
    // DashScope and ModelScope for models that think, Fireworks for long replies
    says: /\bonly supports? stream mode\b|\bfor non-streaming calls\b|\bwhen \W?stream=false\b|\bmust have stream=true\b|\bstream must be (?:set to )?true\b/i,
    parameter: "a reply in one piece",
    sentInstead: "stream=true",
    change: (body, api) => ({ ...body, ...interfaces[api].streamed }),
  },
  {
    // xAI, and LM Studio until 2025
    says: /\bmust have at least one content element\b|'content' field must be a string or an array\b|'content': expected a string, got null\b/i,
    parameter: "content: null",
    sentInstead: 'content: ""',
    change: inMessages((message) => (message.content === null ? { ...message, content: "" } : message)),
  },
  {
    // Anthropic and Bedrock behind gateways
    says: /\btext content blocks must be non-empty\b|\bthe (?:text|content) field in the (?:ContentBlock|Message) object\b.{0,80} is (?:blank|empty)\b/i,
    parameter: 'content: ""',
    sentInstead: "content: null",
    change: inMessages((message) => (isBlankBesideCalls(message) ? { ...message, content: null } : message)),
  },
  {
    // Mistral, and its templates in local servers that give ids of another kind
    says: /\btool call ids?\b.{0,160}\blength (?:of )?9\b/i,
    parameter: "ids of calls",
    sentInstead: "ids of 9 letters and digits",
    change: inMessages(withShortIds),
  },
  {
    // the templates of Llama 3, also where the server in front of them gives several
    says: /\bonly supports single tool-calls at once\b/i,
    parameter: "several calls in one message",
    sentInstead: "a message for each",
    change: (body) => (Array.isArray(body.messages) ? { ...body, messages: oneByOne(body.messages) } : body),
  },
  {
    // Moonshot and DeepSeek, also for a reply that came without thoughts or under another name for them
    says: /\breasoning_content is missing in assistant\b|\bmissing .?reasoning_content.? field\b|\breasoning_content.? in the thinking mode must be passed back\b/i,
    parameter: "replies without reasoning_content",
    sentInstead: "reasoning_content of each",
    change: inMessages((message) => (message.role === "assistant" ? withThoughts(message) : message)),
  },
  {
    // Gemini, where it gave a call no signature
    says: /\bmissing a .?thought_signature\b/i,
    parameter: "calls without thought_signature",
    sentInstead: unsigned,
    change: inMessages((message) => withSignature(message, (given) => given ?? unsigned)),
  },
  {
    // Gemini, where another of its hosts gave the signatures
    says: /\bcorrupted thought signature\b|\bthought signature is not valid\b/i,
    parameter: "thought_signature",
    sentInstead: unsigned,
    change: inMessages((message) => withSignature(message, () => unsigned)),
  },
  {
    // Google and Moonshot, with their own idea of JSON Schema, and llama.cpp, which makes a grammar of it
    says: /\bunknown name \S{1,40} at \W?(?:request\.)?tools\b|\bmoonshot flavored json schema\b|\bfailed to parse grammar\b|\bfilter \S{1,12} (?:for|to) type\b/i,
    parameter: "schemas of tools",
    sentInstead: "plain ones",
    change: (body) => (Array.isArray(body.tools) ? { ...body, tools: body.tools.map(withPlainSchema) } : body),
  },
  {
    // the Responses interface: an id means what is stored there, or another item that belongs to it
    says: /\bitems are not persisted when\b|\bexpected an id that begins with\b/i,
    parameter: "ids of items",
    sentInstead: null,
    change: (body) => (Array.isArray(body.input) ? { ...body, input: body.input.map(withoutId) } : body),
  },
];

function inMessages(change: (message: Fields) => Fields): Manner["change"] {
  return (body) =>
    Array.isArray(body.messages) ? { ...body, messages: body.messages.map((one) => change(fieldsOf(one))) } : body;
}

function isBlankBesideCalls({ content, tool_calls }: Fields): boolean {
  return typeof content === "string" && content.trim() === "" && tool_calls !== undefined;
}

/** Remembers for one route which ways its endpoint insisted on. */
export class Manners {
  readonly #kept = new Set<Manner>();

  apply(body: Fields, api: Api): Fields {
    return [...this.#kept].reduce((changed, manner) => manner.change(changed, api), body);
  }

  /** Says what is done after a refusal of `sent`; nothing where it asks for nothing new. */
  learn(sent: Fields, { reason }: Fault, api: Api): readonly LeftOut[] {
    const before = JSON.stringify(sent);
    const wanted = manners.filter(
      (manner) =>
        !this.#kept.has(manner) && manner.says.test(reason) && JSON.stringify(manner.change(sent, api)) !== before,
    );
    for (const manner of wanted) this.#kept.add(manner);
    return wanted.map(({ parameter, sentInstead }) => ({ parameter, sentInstead }));
  }
}

/** Puts each call right before its own result, as if the model had made one after the other. */
function oneByOne(messages: readonly unknown[]): readonly Fields[] {
  const results = new Map(messages.map(fieldsOf).map((message) => [message.tool_call_id, message]));
  return messages.map(fieldsOf).flatMap((message) => {
    if (message.role === "tool") return [];
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(fieldsOf) : [];
    if (calls.length === 0) return [message];
    return calls.flatMap((call, at) => {
      const result = results.get(call.id);
      const said = at === 0 ? message : { role: "assistant", content: null };
      return [{ ...said, tool_calls: [call] }, ...(result === undefined ? [] : [result])];
    });
  });
}

function withShortIds(message: Fields): Fields {
  const { tool_call_id, tool_calls } = message;
  return {
    ...message,
    ...(typeof tool_call_id === "string" ? { tool_call_id: shortId(tool_call_id) } : {}),
    ...(Array.isArray(tool_calls) ? { tool_calls: tool_calls.map(fieldsOf).map(withShortId) } : {}),
  };
}

function withShortId(call: Fields): Fields {
  return typeof call.id === "string" ? { ...call, id: shortId(call.id) } : call;
}

/** Returns the same short id for the same long one; an id that fits stays. */
function shortId(id: string): string {
  return /^[a-z0-9]{9}$/i.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}

/** Signs the first call of a reply, which stands for all of them. */
function withSignature(message: Fields, signature: (given: unknown) => unknown): Fields {
  if (!Array.isArray(message.tool_calls)) return message;
  const [first, ...others] = message.tool_calls.map(fieldsOf);
  const { extra_content } = first ?? {};
  // Vertex has its own name there
  const [[host, inside]] = [...Object.entries(fieldsOf(extra_content)), ["google", {}] as const];
  const { thought_signature, ...more } = fieldsOf(inside);
  const signed = { [host]: { ...more, thought_signature: signature(thought_signature) } };
  return {
    ...message,
    tool_calls: [{ ...first, extra_content: { ...fieldsOf(extra_content), ...signed } }, ...others],
  };
}

/** Moonshot counts empty thoughts as missing. */
const noThoughts = "(none)";

function withThoughts(message: Fields): Fields {
  const { reasoning_content, reasoning } = message;
  const thought = [reasoning_content, reasoning].find((text) => typeof text === "string" && text !== "");
  return { ...message, reasoning_content: thought ?? noThoughts };
}

function withoutId(item: unknown): Fields {
  const { id, ...others } = fieldsOf(item);
  return others;
}
