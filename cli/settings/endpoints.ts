import { TilthError } from "../../runner/base/errors.js";
import type { Endpoint, Endpoints, Role, Tuning } from "../../runner/settings/endpoints.js";
import { untuned } from "../../runner/settings/endpoints.js";
import type { Values } from "../../runner/settings/setting.js";
import { endpointSettings } from "../../runner/settings/table.js";
import type { SettingInForce } from "./in-force.js";

type GivenEndpoints = Values<typeof endpointSettings>;

/** TilthError `usage` that names every setting without which no model can be asked and that is not set. */
export function requireEndpoint(inForce: readonly SettingInForce[]): void {
  const missing = inForce.filter(({ setting, value }) => setting.required && value === null);
  if (missing.length === 0) return;
  const names = missing.map(({ setting }) => setting.name).join(", ");
  throw new TilthError(
    "usage",
    `${names} ${missing.length === 1 ? "is" : "are"} not set`,
    `set ${missing.length === 1 ? "it" : "them"} in the environment or in the file that tilth init writes`,
  );
}

/** Builds the endpoints from settings that were checked one by one. */
export function endpointsOf(given: GivenEndpoints): Endpoints {
  const worker = endpointOf("worker", given, null);
  return {
    worker,
    evaluator: endpointOf("evaluator", given, worker),
    interviewer: endpointOf("interviewer", given, worker),
  };
}

function endpointOf(role: Role, given: GivenEndpoints, fallback: Endpoint | null): Endpoint {
  const own = given[role];
  const model = own.model ?? fallback?.model ?? "";
  const baseUrl = own.baseUrl ?? fallback?.baseUrl ?? "";
  if (own.apiKey === null && fallback && new URL(baseUrl).origin !== new URL(fallback.baseUrl).origin)
    throw anotherServer(role);
  const key = own.apiKey ?? fallback?.apiKey ?? "none";
  const there = fallback?.baseUrl === baseUrl ? fallback : null;
  const tuning = tuningOf(own.tuning, there?.model === model ? there.tuning : untuned);
  const api = own.api ?? there?.api ?? "auto";
  return { baseUrl, model, api, apiKey: key.toLowerCase() === "none" ? null : key, tuning };
}

function anotherServer(role: Role): TilthError {
  const { baseUrl, apiKey } = endpointSettings[role];
  const message = `${baseUrl.name} is a different server from ${endpointSettings.worker.baseUrl.name}, and ${apiKey.name} is not set`;
  return new TilthError(
    "usage",
    `${message}; a key is sent only to its own server`,
    `set ${apiKey.name} (the word none for an endpoint without a key)`,
  );
}

/** Another model may refuse what suits the worker's, so a role shares its tuning only if it asks the same model. */
function tuningOf(own: Tuning, shared: Tuning): Tuning {
  const set = Object.entries(own).filter(([, value]) => value !== null);
  return { ...shared, ...(Object.fromEntries(set) as Partial<Tuning>) };
}
