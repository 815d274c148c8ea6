import type { Api } from "../base/apis.js";
import type { Endpoint } from "../settings/endpoints.js";
import type { Fault } from "./faults/faults.js";

/** Remembers from one run to the next which interface an endpoint wants. */
export interface KnownApis {
  of(endpoint: Endpoint): Api | null;
  keep(endpoint: Endpoint, api: Api): void;
}

/** A switch to another interface. */
export interface ApiSwitch {
  readonly from: Api;
  readonly to: Api;
}

/**
 * Chooses the interface for a route's endpoint. Unless a person named one, chat completions come first, because nearly
 * every endpoint has them. An endpoint that says it wants the other one is asked there, and goes back to chat
 * completions if it turns out not to have it.
 */
export class Speech {
  readonly #endpoint: Endpoint;
  readonly #known: KnownApis;
  /** null until the first question: by then another role may have found it out */
  #api: Api | null = null;
  /** true when no other interface is left to try */
  #isAlone: boolean;
  #hasAnswered = false;

  constructor(endpoint: Endpoint, known: KnownApis) {
    this.#endpoint = endpoint;
    this.#known = known;
    this.#isAlone = endpoint.api !== "auto";
  }

  get api(): Api {
    const { api } = this.#endpoint;
    this.#api ??= api === "auto" ? (this.#known.of(this.#endpoint) ?? "chat") : api;
    return this.#api;
  }

  /** A reply came, so this interface works. */
  answered(): void {
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    if (this.#endpoint.api !== "auto") return;
    if (this.api !== (this.#known.of(this.#endpoint) ?? "chat")) this.#known.keep(this.#endpoint, this.api);
  }

  /** Returns null when the fault does not concern the interface, or no other one is left. */
  learn(fault: Fault): ApiSwitch | null {
    if (this.#isAlone) return null;
    if (this.api === "chat") return saysResponses(fault) ? this.#switch("responses") : null;
    if (this.#hasAnswered || !isNotThere(fault)) return null;
    this.#isAlone = true;
    return this.#switch("chat");
  }

  #switch(to: Api): ApiSwitch {
    const from = this.api;
    this.#api = to;
    this.#hasAnswered = false;
    return { from, to };
  }
}

function saysResponses(fault: Fault): boolean {
  return (fault.kind === "final" || fault.kind === "denied") && fault.wantsResponses;
}

/** A server without the path says so by one of these. */
function isNotThere(fault: Fault): boolean {
  if (fault.kind === "denied") return fault.status === 404;
  return fault.kind === "final" && /^HTTP 405\b/.test(fault.reason);
}
