import type { Api } from "../base/apis.js";
import type { Endpoint } from "../settings/endpoints.js";
import type { Fault } from "./faults/faults.js";
import { interfaces } from "./interfaces.js";
import { Omissions } from "./left-out.js";
import { Manners } from "./manners.js";
import type { Message, Own, ParameterLeftOut } from "./port/model-client.js";
import { type KnownApis, Speech } from "./speech.js";
import type { Fields } from "./wire/fields.js";

/** A refused request: the messages before, and the body after, earlier refusals were applied. */
export interface RefusedRequest {
  readonly messages: readonly Message[];
  readonly body: Fields;
  readonly fault: Fault;
}

/** The terms on which an endpoint takes requests: the settings, and the lessons of its refusals so far. */
export class Terms {
  readonly #speech: Speech;
  readonly #givenUp = new GivenUp();
  readonly #manners = new Manners();
  readonly #omissions = new Omissions();

  constructor(endpoint: Endpoint, known: KnownApis) {
    this.#speech = new Speech(endpoint, known);
  }

  get api(): Api {
    return this.#speech.api;
  }

  answered(): void {
    this.#speech.answered();
  }

  /** Returns the messages without the fields that the endpoint no longer takes back. */
  messages(messages: readonly Message[]): readonly Message[] {
    return this.#givenUp.without(messages);
  }

  /** Returns the body as the endpoint wants it, without what it does not take. */
  body(body: Fields): Fields {
    return this.#omissions.apply(this.#manners.apply(body, this.api));
  }

  /** Returns how the next request will differ from the refused one, or nothing when it would be the same. */
  learn({ messages, body, fault }: RefusedRequest): readonly ParameterLeftOut[] {
    const { reason } = fault;
    const switched = this.#speech.learn(fault);
    if (switched !== null) {
      const [parameter, sentInstead] = [interfaces[switched.from].path, interfaces[switched.to].path];
      return [{ parameter, sentInstead, reason }];
    }
    if (this.#givenUp.learn(messages, fault))
      return [{ parameter: "what came with earlier replies", sentInstead: null, reason }];
    const wanted = this.#manners.learn(body, fault, this.api);
    if (wanted.length > 0) return wanted.map((one) => ({ ...one, reason }));
    if (fault.kind !== "final" || fault.refusal === null) return [];
    return this.#omissions.learn(body, fault.refusal).map((left) => ({ ...left, reason }));
  }
}

/**
 * Fields that providers sent and no longer take back. Some bind a model's thoughts to everything before them: once a
 * conversation is folded, its earlier replies can only go back without these fields.
 */
class GivenUp {
  readonly #owns = new WeakSet<Own>();

  /** Returns whether the next request will differ from the refused one. */
  learn(messages: readonly Message[], fault: Fault): boolean {
    if (fault.kind !== "final" || !fault.refusesSeals) return false;
    const left = ownsIn(messages).filter((own) => !this.#owns.has(own) && Object.keys(own.fields).length > 0);
    for (const own of left) this.#owns.add(own);
    return left.length > 0;
  }

  without(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) =>
      message.role === "assistant" && message.own !== null && this.#owns.has(message.own)
        ? { ...message, own: { ...message.own, fields: {} } }
        : message,
    );
  }
}

function ownsIn(messages: readonly Message[]): readonly Own[] {
  return messages.flatMap((message) => (message.role === "assistant" && message.own !== null ? [message.own] : []));
}
