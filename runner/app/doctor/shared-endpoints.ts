import type { Endpoint, Endpoints, Role } from "../../settings/endpoints.js";

/** Roles with the same address, key, model, interface and tuning. */
export interface SharedEndpoint {
  readonly roles: readonly [Role, ...Role[]];
  readonly endpoint: Endpoint;
}

const order: readonly Role[] = ["worker", "evaluator", "interviewer"];

export function sharedEndpoints(endpoints: Endpoints): readonly SharedEndpoint[] {
  const shared = new Map<string, SharedEndpoint>();
  for (const role of order) {
    const endpoint = endpoints[role];
    const { baseUrl, apiKey, model, api, tuning } = endpoint;
    const alike = JSON.stringify([baseUrl, apiKey, model, api, Object.entries(tuning).sort()]);
    const before = shared.get(alike);
    shared.set(alike, { endpoint, roles: before === undefined ? [role] : [...before.roles, role] });
  }
  return [...shared.values()];
}
