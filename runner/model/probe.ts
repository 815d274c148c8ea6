import { awakeSignal } from "../base/awake.js";
import type { Endpoint } from "../settings/endpoints.js";
import { EndpointHttp, HttpStatusError } from "./faults/endpoint-http.js";
import { isKeyRefused } from "./faults/faults.js";

const answerWithinMs = 10_000;

export type Probe =
  | { readonly kind: "answers" }
  | { readonly kind: "denied"; readonly status: number }
  /** the endpoint is there but has no list of models, which does not tell whether it completes */
  | { readonly kind: "no_list"; readonly status: number }
  | { readonly kind: "unreachable"; readonly why: string };

/** Asks an endpoint for its list of models, which costs no tokens. */
export async function probeEndpoint(endpoint: Endpoint, signal: AbortSignal): Promise<Probe> {
  const headers: Record<string, string> =
    endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` };
  const limited = AbortSignal.any([signal, awakeSignal(answerWithinMs)]);
  try {
    const url = `${endpoint.baseUrl}/models`;
    await new EndpointHttp().send({ method: "GET", url, headers, body: [], ends: [limited] });
    return { kind: "answers" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HttpStatusError)) return { kind: "unreachable", why: whyOf(error) };
    return [401, 402, 403].includes(error.status) || isKeyRefused(error)
      ? { kind: "denied", status: error.status }
      : { kind: "no_list", status: error.status };
  }
}

function whyOf(error: unknown): string {
  if (error instanceof DOMException) return "no answer in time";
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
