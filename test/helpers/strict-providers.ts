import { createHash } from "node:crypto";
import { completionOf } from "../../runner/demo/completion.js";
import {
  type PlainTurn,
  type Script,
  type ScriptedRequest,
  type ScriptedRole,
  type SpokenTurn,
  turnFor,
  type WireMessage,
} from "../../runner/demo/script/script.js";

/** A provider by its published rules: the form of its replies, and the requests that it refuses. */
export interface Strictness {
  /** a reply as this provider sends it */
  dressed(reply: StrictMessage, nth: number): StrictMessage;
  /** the answer to a request that breaks a rule; `issued` holds each of its replies, by the id of its first call */
  refusal(messages: readonly StrictMessage[], issued: ReadonlyMap<string, StrictMessage>): Refusal | null;
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

export type StrictMessage = WireMessage & { readonly tool_calls?: readonly Call[] } & Readonly<Record<string, unknown>>;
type Call = NonNullable<WireMessage["tool_calls"]>[number] & Readonly<Record<string, unknown>>;

const longestPlainId = 40;
const roles: readonly ScriptedRole[] = ["worker", "evaluator", "interviewer", "self_improve"];

/**
 * Plays the script as a provider that holds to its rules. With `forgetful`, requests reach it as if the client kept
 * only the parts of a message that every provider has.
 */
export function strictly(rules: Strictness, script: Script, forgetful = false): Script {
  const issued = new Map<string, StrictMessage>();
  const answer = (role: ScriptedRole, request: ScriptedRequest): PlainTurn => {
    const messages = forgetful ? request.messages.map(plain) : request.messages;
    const refusal = rules.refusal(messages as readonly StrictMessage[], issued);
    if (refusal !== null) return refusal;
    const turn = turnFor(script, request);
    if (!isSpoken(turn)) return turn;
    const { message, finish, usage } = said(turn, role, issued.size);
    const reply = rules.dressed(message, issued.size);
    issued.set(reply.tool_calls?.[0]?.id ?? `words ${issued.size}`, reply);
    return { message: reply, finish, ...(usage === undefined ? {} : { usage }) };
  };
  return Object.fromEntries(roles.map((role) => [role, (request: ScriptedRequest) => answer(role, request)]));
}

function isSpoken(turn: PlainTurn): turn is SpokenTurn {
  return !["status", "hang", "drop", "raw", "drip"].some((kind) => kind in turn);
}

function said(turn: SpokenTurn, role: ScriptedRole, nth: number) {
  let ids = 0;
  const { choices } = completionOf(turn, role, () => nth * 100 + ++ids) as {
    choices: { message: StrictMessage; finish_reason: string }[];
  };
  const [choice] = choices;
  if (choice === undefined) throw new Error("the script said nothing");
  return { message: choice.message, finish: choice.finish_reason, usage: turn.usage };
}

function plain({ role, content, tool_calls, tool_call_id }: WireMessage): WireMessage {
  const calls = tool_calls?.map(({ id, function: { name, arguments: text } }) => ({
    id: id.slice(0, longestPlainId),
    type: "function",
    function: { name, arguments: text },
  }));
  return {
    role,
    content: typeof content === "string" ? content : null,
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(tool_call_id === undefined ? {} : { tool_call_id: tool_call_id.slice(0, longestPlainId) }),
  };
}

const signed = (text: string) => createHash("sha512").update(text).digest("base64");

/** The replies since a person last spoke, with their places in the conversation. */
function ofThisTurn(
  messages: readonly StrictMessage[],
): readonly { readonly message: StrictMessage; readonly at: number }[] {
  const since = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, at) => ({ message, at })).filter(({ message, at }) => at > since && hasCalls(message));
}

function hasCalls({ tool_calls }: StrictMessage): boolean {
  return (tool_calls?.length ?? 0) > 0;
}

function signatureOf(call: Call | undefined): unknown {
  const extra = call?.extra_content as { google?: { thought_signature?: unknown } } | undefined;
  return extra?.google?.thought_signature;
}

/** The first call of each step is signed, and in the current turn each signature has to come back. */
const gemini: Strictness = {
  dressed(reply, nth) {
    const [first, ...others] = reply.tool_calls ?? [];
    if (first === undefined) return reply;
    const extra_content = { google: { thought_signature: signed(`step ${nth}`) } };
    return { ...reply, tool_calls: [{ ...first, extra_content }, ...others] };
  },
  refusal(messages, issued) {
    for (const { message, at } of ofThisTurn(messages)) {
      const [call] = message.tool_calls ?? [];
      const found = signatureOf(call);
      const due = signatureOf(issued.get(call?.id ?? "")?.tool_calls?.[0]);
      if (found !== undefined && found === due) continue;
      const why =
        found === undefined
          ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call?.function.name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
          : "Corrupted thought signature.";
      return { status: 400, body: [{ error: { code: 400, message: why, status: "INVALID_ARGUMENT" } }] };
    }
    return null;
  },
};

/** A model that thinks before it calls wants its blocks back, unchanged and in order, as gateways hand them on. */
const anthropic: Strictness = {
  dressed(reply, nth) {
    const thinking_blocks = [
      { type: "thinking", thinking: `thought ${nth}`, signature: signed(`thought ${nth}`) },
      { type: "redacted_thinking", data: signed(`sealed ${nth}`) },
    ];
    return { ...reply, reasoning_content: `thought ${nth}`, thinking_blocks };
  },
  refusal(messages, issued) {
    for (const { message, at } of ofThisTurn(messages)) {
      const due = JSON.stringify(issued.get(message.tool_calls?.[0]?.id ?? "")?.thinking_blocks);
      if (message.thinking_blocks === undefined) return invalid(missing(at - 1));
      if (JSON.stringify(message.thinking_blocks) !== due) return invalid(modified(at - 1));
    }
    return null;
  },
};

const missing = (at: number) =>
  `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`;
const modified = (at: number) =>
  `messages.${at}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;

function invalid(message: string): Refusal {
  return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } };
}

/** A gateway that writes the signature of a call into its id, and looks for it there. */
const signedIds: Strictness = {
  dressed(reply, nth) {
    if (reply.tool_calls === undefined) return reply;
    const withSignature = ({ id, ...call }: Call) => ({ id: `${id}__thought__${signed(`call ${nth}`)}`, ...call });
    return { ...reply, tool_calls: reply.tool_calls.map(withSignature) };
  },
  refusal(messages) {
    const ids = ofThisTurn(messages).flatMap(({ message }) => message.tool_calls?.map(({ id }) => id) ?? []);
    const bare = ids.find((id) => id.length <= longestPlainId);
    return bare === undefined ? null : invalid(`tool call ${bare} has no thought signature`);
  },
};

/** Published limits of OpenAI's own endpoint: short ids, every call answered, no parameter that it does not know. */
const openai: Strictness = {
  dressed: (reply) => ({ ...reply, refusal: null, annotations: [] }),
  refusal(messages) {
    for (const [at, { tool_calls = [] }] of messages.entries()) {
      const long = tool_calls.findIndex(({ id }) => id.length > longestPlainId);
      if (long >= 0)
        return invalid(
          `Invalid 'messages[${at}].tool_calls[${long}].id': string too long. Expected a string with maximum length 40, but got a string with length ${tool_calls[long]?.id.length} instead.`,
        );
      const answered = messages.slice(at + 1).map(({ tool_call_id }) => tool_call_id);
      const open = tool_calls.filter(({ id }) => !answered.includes(id)).map(({ id }) => id);
      if (open.length > 0)
        return invalid(
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
        );
    }
    return null;
  },
};

export const strictProviders: Readonly<Record<string, Strictness>> = {
  "Gemini's compatible endpoint": gemini,
  "Anthropic's thinking behind a gateway": anthropic,
  "a gateway that signs ids": signedIds,
  "OpenAI's chat completions": openai,
};
/** Providers that want something back that no other provider has. */
export const wantingBack = Object.entries(strictProviders).filter(([, rules]) => rules !== openai);
