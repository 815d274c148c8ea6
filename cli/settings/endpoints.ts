import { TilthError } from "../../runner/base/errors.js";
import {
  type Endpoint,
  type Endpoints,
  endpointPrefixes,
  type Role,
  type Tuning,
  untuned,
} from "../../runner/base/settings.js";

/** Settings without which no model can be asked. */
export const required = ["TILTH_BASE_URL", "TILTH_API_KEY", "TILTH_WORKER_MODEL"] as const;

/** Returns the parsed value of a setting. */
export type Read = <T>(name: string) => T;

/** Builds the endpoints from settings that were checked one by one; TilthError `usage` naming all that are missing. */
export function endpointsOf(read: Read): Endpoints {
  const missing = required.filter((name) => read(name) === null);
  if (missing.length > 0)
    throw new TilthError(
      "usage",
      `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not set`,
      `set ${missing.length === 1 ? "it" : "them"} in the environment or in the file that tilth init writes`,
    );
  const worker = endpointOf("worker", read, null);
  return {
    worker,
    evaluator: endpointOf("evaluator", read, worker),
    interviewer: endpointOf("interviewer", read, worker),
  };
}

function endpointOf(role: Role, read: Read, fallback: Endpoint | null): Endpoint {
  const prefix = endpointPrefixes[role];
  const text = (name: string) => read<string | null>(name);
  const model = text(role === "worker" ? "TILTH_WORKER_MODEL" : `${prefix}_MODEL`) ?? fallback?.model ?? "";
  const baseUrl = text(`${prefix}_BASE_URL`) ?? fallback?.baseUrl ?? "";
  const ownKey = text(`${prefix}_API_KEY`);
  if (ownKey === null && fallback && new URL(baseUrl).origin !== new URL(fallback.baseUrl).origin)
    throw new TilthError(
      "usage",
      `${prefix}_BASE_URL is a different server from TILTH_BASE_URL, and ${prefix}_API_KEY is not set; a key is sent only to its own server`,
      `set ${prefix}_API_KEY (the word none for an endpoint without a key)`,
    );
  const key = ownKey ?? fallback?.apiKey ?? "none";
  const there = fallback?.baseUrl === baseUrl ? fallback : null;
  const tuning = tuningOf(prefix, read, there?.model === model ? there.tuning : untuned);
  const api = read<Endpoint["api"] | null>(`${prefix}_API`) ?? there?.api ?? "auto";
  return { baseUrl, model, api, apiKey: key.toLowerCase() === "none" ? null : key, tuning };
}

/** Another model may refuse what suits the worker's, so a role shares its tuning only if it asks the same model. */
function tuningOf(prefix: string, read: Read, shared: Tuning): Tuning {
  return {
    reasoningEffort: read<string | null>(`${prefix}_REASONING_EFFORT`) ?? shared.reasoningEffort,
    maxOutputTokens: read<number | null>(`${prefix}_MAX_OUTPUT_TOKENS`) ?? shared.maxOutputTokens,
    temperature: read<number | null>(`${prefix}_TEMPERATURE`) ?? shared.temperature,
  };
}
