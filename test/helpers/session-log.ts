import type { ScriptedRequest, WireMessage } from "../../runner/demo/script/script.js";
import type { Payload, TilthEvent } from "../../runner/session/log/events.js";

/** A message on the wire, as far as a model gets to see it. */
interface WireText {
  readonly role: string;
  readonly content: unknown;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly answers?: string;
}

interface Sent {
  readonly role: string;
  readonly messages: readonly WireText[];
}

/** Reconstructs every request of a run from the log alone. */
export function requestsInLog(log: readonly TilthEvent[]): Sent[] {
  const teller = new Teller();
  for (const event of log) teller.take(event);
  return teller.sent;
}

export function requestsOnTheWire(requests: readonly ScriptedRequest[]): Sent[] {
  return requests.map(({ role, messages }) => ({ role, messages: openingJoined(messages.map(saidOnTheWire)) }));
}

class Teller {
  readonly sent: Sent[] = [];
  #worker: WireText[] = [];
  #other: WireText[] = [];

  take(event: TilthEvent): void {
    switch (event.type) {
      case "context_reset":
        this.#worker = [];
        break;
      case "prompt_assembled":
        this.#assembled(event.payload);
        break;
      case "model_call":
        this.#called(event.payload);
        break;
      case "empty_model_response":
        this.#conversation(event.payload.phase).pop();
        break;
      case "tool_result":
        this.#worker.push({ role: "tool", content: event.payload.content, answers: event.payload.call_id });
        break;
      case "context_folded":
        this.#folded(event.payload);
        break;
      case "evaluator_parse_error":
        this.#other.push({ role: "user", content: event.payload.error });
        break;
    }
  }

  #assembled({ role, content }: Payload<"prompt_assembled">): void {
    if (role !== "worker") this.#other = [];
    this.#conversation(role).push({ role: "user", content });
  }

  #folded({ folded, lines }: Payload<"context_folded">): void {
    const lineOf = new Map(folded.map((id, at) => [id, lines[at]]));
    this.#worker = this.#worker.map((said) => ({ ...said, content: lineOf.get(said.answers ?? "") ?? said.content }));
  }

  #called({ phase, content, calls }: Payload<"model_call">): void {
    const conversation = this.#conversation(phase);
    this.sent.push({ role: phase, messages: [...conversation] });
    conversation.push({ role: "assistant", content, ...(calls.length > 0 ? { calls: calls.map(asObject) } : {}) });
  }

  #conversation(phase: string): WireText[] {
    return phase === "worker" ? this.#worker : this.#other;
  }
}

/** Malformed arguments go back to a provider as an empty object; the log keeps the raw text. */
function asObject<T extends { readonly arguments: string }>(call: T): T {
  try {
    JSON.parse(call.arguments);
    return call;
  } catch {
    return { ...call, arguments: "{}" };
  }
}

function saidOnTheWire({ role, content, tool_calls, tool_call_id }: WireMessage): WireText {
  const calls = tool_calls?.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text }));
  return {
    role,
    content: content ?? null,
    ...(calls ? { calls } : {}),
    ...(tool_call_id === undefined ? {} : { answers: tool_call_id }),
  };
}

/** The log has the two messages of an opening as one text. */
function openingJoined([system, user, ...rest]: readonly WireText[]): readonly WireText[] {
  return [{ role: "user", content: `${system?.content}\n\n${user?.content}` }, ...rest];
}
