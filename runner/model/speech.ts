import type { Api, Endpoint } from "../base/settings.js";
import type { Fault } from "./faults/faults.js";

/** Keeps from one run to the next which interface endpoints were found to want. */
export interface KnownApis {
  of(endpoint: Endpoint): Api | null;
  keep(endpoint: Endpoint, api: Api): void;
}

/** A switch to another interface. */
export interface Switched {
  readonly from: Api;
  readonly to: Api;
}

/**
 * Which interface a route's endpoint is asked through. Unless a person named one, chat completions come first, for nearly
 * everybody has them; an endpoint that says it wants the other one is asked there, and one that turns out not to have it is
 * asked by chat completions again.
 */
export class Speech {
  readonly #endpoint: Endpoint;
  readonly #known: KnownApis;
  /** null until the first question: by then another role may have found it out */
  #api: Api | null = null;
  /** the other one was tried, and was not there */
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

  /** A reply came, so this is the one. */
  answered(): void {
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    if (this.#endpoint.api !== "auto") return;
    if (this.api !== (this.#known.of(this.#endpoint) ?? "chat")) this.#known.keep(this.#endpoint, this.api);
  }

  /** Null where the fault says nothing of the interface, or there is no other left. */
  learn(fault: Fault): Switched | null {
    if (this.#isAlone) return null;
    if (this.api === "chat") return saysResponses(fault) ? this.#switch("responses") : null;
    if (this.#hasAnswered || !isNotThere(fault)) return null;
    this.#isAlone = true;
    return this.#switch("chat");
  }

  #switch(to: Api): Switched {
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
