import type { Clock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import type { Endpoint, Endpoints, Role } from "../settings/endpoints.js";
import { endpointSettings } from "../settings/table.js";
import { extrasOf } from "./chat/extras.js";
import { EndpointHttp } from "./faults/endpoint-http.js";
import { type KnownLimits, Limits } from "./faults/limits.js";
import type { KnownApis } from "./speech.js";
import { Terms } from "./terms.js";
import { RequestParts } from "./wire/request-parts.js";

/** The destination of a role's questions. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly terms: Terms;
  readonly http: EndpointHttp;
  /** sent with every request */
  readonly headers: Readonly<Record<string, string>>;
  /** what the last request was made of */
  readonly parts: RequestParts;
  /** fields this provider gets beyond the common interface */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly names: SettingNames;
  /** its headers and refusals, which say when to ask */
  readonly limits: Limits;
}

/** Things that all routes of one asker share. */
export interface RouteContext {
  readonly session: string;
  readonly clock: Clock;
  readonly known: KnownApis;
  readonly limits: KnownLimits;
}

/** The variables a person sets to change a route. */
export interface SettingNames {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

export function routesOf(
  endpoints: Endpoints,
  { session, clock, known, limits }: RouteContext,
): Readonly<Record<Role, Route>> {
  const http = new EndpointHttp();
  const route = (role: Role): Route => {
    const endpoint = endpoints[role];
    const names = settingNamesOf(role, endpoints);
    return {
      endpoint,
      terms: new Terms(endpoint, known),
      http,
      headers: headersFor(endpoint, names),
      parts: new RequestParts(),
      extras: extrasOf(endpoint, { session, role }),
      names,
      limits: new Limits(endpoint, limits, clock),
    };
  };
  return { worker: route("worker"), evaluator: route("evaluator"), interviewer: route("interviewer") };
}

function headersFor({ apiKey }: Endpoint, names: SettingNames): Readonly<Record<string, string>> {
  // a header cannot carry such a key, and the error of trying it would show the key
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TilthError(
      "usage",
      `${names.apiKey} holds a space or a character no key has`,
      `Set ${names.apiKey} again.`,
    );
  }
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  return { accept: "application/json", ...authorization, "content-type": "application/json" };
}

/** Names the worker's variables for values that a role shares with the worker. */
export function settingNamesOf(role: Role, endpoints: Endpoints): SettingNames {
  const { [role]: own, worker } = endpoints;
  const { [role]: ownNames, worker: workerNames } = endpointSettings;
  const nameOf = (value: "baseUrl" | "apiKey" | "model") =>
    (own[value] === worker[value] ? workerNames : ownNames)[value].name;
  return { baseUrl: nameOf("baseUrl"), apiKey: nameOf("apiKey"), model: nameOf("model") };
}
