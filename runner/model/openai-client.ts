import type { Api } from "../base/apis.js";
import { afterAwake, asleepMs } from "../base/awake.js";
import type { Clock } from "../base/clock.js";
import { Interrupted } from "../base/errors.js";
import type { Endpoints, Role } from "../settings/endpoints.js";
import { Masker } from "../text/mask.js";
import { explain, type FinalFault } from "./explain.js";
import type { HttpAnswer, HttpRequest } from "./faults/endpoint-http.js";
import { RequestFailed } from "./faults/endpoint-http.js";
import { type Fault, faultOf, limitHeadersOf, timedOut } from "./faults/faults.js";
import { type KnownLimits, OwnLimits } from "./faults/limits.js";
import { isWaitable } from "./faults/reset.js";
import { type Decision, Patience, shortWaitMs } from "./faults/retry.js";
import { LimitWaits } from "./faults/waits.js";
import { interfaces } from "./interfaces.js";
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "./port/model-client.js";
import { type Route, routesOf } from "./routing.js";
import type { KnownApis } from "./speech.js";
import { type Reading, readStream } from "./stream/read-stream.js";
import type { Fields } from "./wire/fields.js";
import type { JsonPieces } from "./wire/request-parts.js";
import { estimatedTokens } from "./wire/usage.js";

export interface ModelLimits {
  readonly requestTimeoutSeconds: number;
  readonly maxOutageMinutes: number;
  /** waits for a limit that lasts longer than an outage may, instead of ending the question; off by default */
  readonly waitForLimit?: boolean;
  /** asks for replies as streams; off by default */
  readonly stream?: boolean;
}

/** The session that asks, and its clock. */
export interface Asker {
  readonly session: string;
  readonly clock: Clock;
  /** by default nothing is known or kept */
  readonly known?: KnownApis;
  /** allowances left at the providers; by default only this client knows them */
  readonly limits?: KnownLimits;
  /** sleeps through a wait that no cap counts; by default like any other */
  readonly sleepUncounted?: Clock["sleep"];
  /** the command to type after the end of a limit; none by default */
  readonly goOn?: string;
  /** 0 to 1; the share of the largest jitter that a wait gets */
  readonly random?: () => number;
}

export function openModelClient(endpoints: Endpoints, limits: ModelLimits, of: Asker): ModelClient {
  return new OpenAiClient(endpoints, limits, of);
}

const longestOutageMs = 2 ** 31 - 1;

interface Sent {
  readonly request: ModelRequest;
  readonly body: JsonPieces;
  readonly api: Api;
}

interface Post extends Pick<HttpRequest, "body" | "ends"> {
  readonly path: string;
}

/** A route with the name that marks its own fields, which depends on the interface in use. */
type Spoken = Route & { readonly provider: string };

type Ending = Decision & { readonly retry: false };
type RequestFailure = Pick<FinalFault, "fault" | "decision" | "attempts">;

const nothingKnown: KnownApis = { of: () => null, keep: () => undefined };

/** One question on its way. */
interface Asking {
  readonly options: CallOptions;
  readonly patience: Patience;
}

class OpenAiClient implements ModelClient {
  readonly #routes: Readonly<Record<Role, Route>>;
  readonly #masker: Masker;
  readonly #limits: ModelLimits;
  readonly #clock: Clock;
  readonly #waits: LimitWaits;
  readonly #random: () => number;
  readonly #goOn: string | null;
  #seenWorking = false;

  constructor(endpoints: Endpoints, limits: ModelLimits, asker: Asker) {
    const { session, clock, known = nothingKnown } = asker;
    this.#routes = routesOf(endpoints, { session, clock, known, limits: asker.limits ?? new OwnLimits() });
    // no key may stand in a reply, whichever endpoint it came from
    this.#masker = new Masker(Object.values(endpoints).map(({ apiKey }) => apiKey));
    this.#limits = limits;
    this.#clock = clock;
    this.#random = asker.random ?? Math.random;
    this.#waits = new LimitWaits({ clock, random: this.#random, sleepUncounted: asker.sleepUncounted });
    this.#goOn = asker.goOn ?? null;
  }

  async complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const route = this.#routes[request.role];
    const patience = this.#patience(options);
    for (let slept = asleepMs(); ; ) {
      const { api } = route.terms;
      const asked = { ...route, provider: providerOf(route, api) };
      const messages = route.terms.messages(request.messages);
      const body = route.terms.body(this.#encoded(api, { ...request, messages }, asked));
      const written = route.parts.written(body);
      await this.#awaitLimit(route, written.chars, { options, patience });
      const answer = await this.#attempt(asked, { request, body: written, api }, options);
      if ("message" in answer) {
        this.#seenWorking = true;
        route.terms.answered();
        return answer;
      }
      const learned = route.terms.learn({ messages: request.messages, body, fault: answer });
      for (const one of learned) options.onLeftOut({ ...one, parameter: this.#masker.text(one.parameter) });
      if (learned.length > 0) continue;
      const before = slept;
      slept = asleepMs();
      // connections die while the process sleeps, and networks come back later than processes
      if (slept > before) patience.forgive();
      const decision = patience.after(answer, this.#seenWorking || patience.isForgiving);
      const { attempts } = patience;
      if (!decision.retry) {
        await this.#overLongLimit(route, { fault: answer, decision, attempts }, options);
        patience.forgive();
        slept = asleepMs();
        continue;
      }
      options.onRetry({ attempt: attempts, reason: answer.reason, waitMs: Math.round(decision.waitMs) });
      await this.#clock.sleep(decision.waitMs, options.signal);
    }
  }

  /** Waits if a limit's headers, or a refusal that others met, say so. Only once, for either may be wrong. */
  async #awaitLimit(route: Route, promptChars: number, { options, patience }: Asking): Promise<void> {
    const { limits } = route;
    const hold = limits.hold(estimatedTokens(promptChars), this.#outageMs);
    if (hold !== null) {
      const waitMs = hold.untilMs - this.#clock.now().getTime();
      if (options.bestEffort && waitMs > shortWaitMs) throw this.#ended(route, notNow(hold.reason));
      const began = this.#clock.monotonicMs();
      await this.#waits.until({ ...hold, isUncounted: false }, options);
      patience.leaveOut(this.#clock.monotonicMs() - began);
    }
    limits.sent(hold);
  }

  /** Fails, unless the person wants to wait for the end of the limit. */
  async #overLongLimit(route: Route, ended: RequestFailure, options: CallOptions): Promise<void> {
    const untilMs = this.#isLongLimit(ended) ? this.#endOf(ended.decision) : null;
    if (untilMs === null || this.#limits.waitForLimit !== true) throw this.#ended(route, ended);
    await this.#waits.until({ reason: ended.fault.reason, untilMs, isUncounted: true }, options);
  }

  #ended(route: Route, ended: RequestFailure): Error {
    const untilMs = this.#endOf(ended.decision);
    const { maxOutageMinutes } = this.#limits;
    const until = untilMs === null ? null : new Date(untilMs);
    const goOn = this.#isLongLimit(ended) ? this.#goOn : null;
    return explain(route, { ...ended, maxOutageMinutes, until, goOn });
  }

  /** A dead endpoint may ask for a short wait each time; treated as a limit, it would be asked for ever. */
  #isLongLimit({ fault, decision }: RequestFailure): boolean {
    if (decision.why !== "asked_to_wait") return false;
    return (fault.kind === "passing" && fault.isLimit === true) || decision.askedMs > this.#outageMs;
  }

  #endOf(decision: Ending): number | null {
    if (decision.why !== "asked_to_wait" || !isWaitable(decision.askedMs)) return null;
    return this.#clock.now().getTime() + decision.askedMs;
  }

  #encoded(api: Api, request: ModelRequest, asked: Spoken): Fields {
    const { encode, streamed } = interfaces[api];
    return { ...encode(request, asked, this.#masker), ...(this.#limits.stream ? streamed : {}) };
  }

  async #attempt(route: Spoken, { request, body, api }: Sent, options: CallOptions): Promise<ModelReply | Fault> {
    const { signal, onProgress = () => undefined } = options;
    const { path, assembly, decode } = interfaces[api];
    const startedMs = this.#clock.monotonicMs();
    const late = new AbortController();
    const timer = afterAwake(this.#limits.requestTimeoutSeconds * 1000, () => late.abort());
    try {
      const answer = await post(route, { path, body: body.pieces, ends: [signal, late.signal] });
      const text = await textOf(answer, { assembly: assembly(), onProgress });
      const reply = decode(text, answer.headers, {
        masker: this.#masker,
        takenIds: idsIn(request),
        provider: route.provider,
        model: route.endpoint.model,
        promptChars: body.chars,
      });
      route.limits.answered(answer.headers, reply.usage);
      return { ...reply, ms: this.#clock.monotonicMs() - startedMs };
    } catch (error) {
      if (signal.aborted) throw new Interrupted();
      if (late.signal.aborted) return timedOut;
      const fault = faultOf(error, this.#masker);
      if (fault === null) throw error;
      const told = limitHeadersOf(error);
      return told === null || fault.kind !== "passing" ? fault : route.limits.refused(told, fault);
    } finally {
      timer.clear();
    }
  }

  get #outageMs(): number {
    return Math.min(this.#limits.maxOutageMinutes * 60_000, longestOutageMs);
  }

  #patience({ bestEffort }: CallOptions): Patience {
    return new Patience({
      clock: this.#clock,
      outageMs: this.#outageMs,
      bestEffort: bestEffort ?? false,
      random: this.#random,
    });
  }
}

async function post({ http, endpoint, headers }: Route, { path, ...rest }: Post): Promise<HttpAnswer> {
  const url = endpoint.baseUrl.replace(/\/$/, "") + path;
  try {
    return await http.send({ method: "POST", url, headers, ...rest });
  } catch (error) {
    throw new RequestFailed(error);
  }
}

/** Describes a question that is not worth a wait. */
function notNow(reason: string): RequestFailure {
  const fault: Fault = { kind: "passing", reason, retryAfter: null };
  return { fault, decision: { retry: false, why: "best_effort" }, attempts: 0 };
}

/** Some stream only where they like to, whatever was asked for, and some give a stream another type. */
async function textOf(answer: HttpAnswer, reading: Reading): Promise<string> {
  if ("stream" in answer) return await readStream(answer.stream, reading);
  const { text } = answer;
  const { body } = /^\s*(?:data|event):/.test(text) ? new Response(text) : { body: null };
  return body === null ? text : await readStream(body, reading);
}

/** Names interface, address and model together, so that fields from there can be told apart. */
function providerOf({ endpoint }: Route, api: Api): string {
  return `${api} ${endpoint.baseUrl} ${endpoint.model}`;
}

/** Looks for the few ids of a reply: a set of all ids would be made anew for each one. */
function idsIn({ messages }: ModelRequest): Pick<ReadonlySet<string>, "has"> {
  const isIn = (id: string) =>
    messages.some(
      (message) =>
        message.role === "assistant" &&
        (message.calls.some((call) => call.id === id) || message.own?.calls.some((call) => call.id === id)),
    );
  return { has: isIn };
}
