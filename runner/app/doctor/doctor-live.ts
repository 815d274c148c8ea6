import { systemClock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { mostRequests, type Trial, type TrialEnd, type TrialListener, tryOut } from "../../dialogue/trial.js";
import { openModelClient } from "../../model/openai-client.js";
import { PricedModel } from "../../model/port/priced-model.js";
import { ApisFile } from "../../model/remembered/known-apis.js";
import { settingNamesOf } from "../../model/routing.js";
import type { Endpoints, Role } from "../../settings/endpoints.js";
import type { ModelSettings } from "../../settings/settings.js";
import { endpointSettings } from "../../settings/table.js";
import type { LiveReport } from "../shapes/json-shapes.js";
import { type Finding, finding } from "./finding.js";
import { liveReport } from "./live-report.js";
import { type SharedEndpoint, sharedEndpoints } from "./shared-endpoints.js";

export interface LiveListener {
  asking(shared: SharedEndpoint, request: number): void;
  retrying: TrialListener["retrying"];
}

export interface Live {
  readonly findings: readonly Finding[];
  readonly reports: readonly LiveReport[];
}

/**
 * Sends real requests to each model, one model after the other; this costs tokens. Throws Interrupted when `signal`
 * aborts.
 */
export async function examineLive(settings: ModelSettings, signal: AbortSignal, listener: LiveListener): Promise<Live> {
  const known = new ApisFile(settings.home);
  const asker = { session: "doctor", clock: systemClock, known };
  const model = new PricedModel(openModelClient(settings.endpoints, settings, asker), settings);
  const findings: Finding[] = [];
  const reports: LiveReport[] = [];
  for (const shared of sharedEndpoints(settings.endpoints)) {
    const { api } = shared.endpoint;
    const first = api === "auto" ? (known.of(shared.endpoint) ?? "chat") : api;
    const [role] = shared.roles;
    const asking = (request: number) => listener.asking(shared, request);
    const trial = await tryOut(model, { role, signal, listener: { asking, retrying: listener.retrying } });
    reports.push(liveReport(shared, first, trial));
    findings.push(await finding("exchange", async () => seenOf(shared, settings.endpoints, trial)));
  }
  return { findings, reports };
}

function seenOf({ roles, endpoint }: SharedEndpoint, endpoints: Endpoints, { end }: Trial): string {
  const who = `${roles.join(", ")}: "${endpoint.model}" at ${endpoint.baseUrl}`;
  if (end.kind === "finished") return `${who} called a tool, got its results and answered`;
  const problem = problemOf(end, roles[0], endpoints);
  const of = end.kind === "failed" || end.kind === "context_full" ? `${roles.join(", ")}: ` : `${who} `;
  throw new TilthError("usage", of + problem.message, problem.hint);
}

function problemOf(
  end: Exclude<TrialEnd, { kind: "finished" }>,
  role: Role,
  endpoints: Endpoints,
): { readonly message: string; readonly hint: string } {
  const { model } = settingNamesOf(role, endpoints);
  switch (end.kind) {
    case "failed":
      return end.error;
    case "context_full":
      return {
        message: end.reason,
        hint: `give the model a larger context where it is served, or name another one in ${model}`,
      };
    case "no_tools":
      return {
        message: "answered in words and called no tool",
        hint: `switch tool calls on where it is served, or name a model in ${model} that has them`,
      };
    case "no_answer":
      return { message: `came to no answer within ${mostRequests} requests`, hint: `name another model in ${model}` };
    case "cut_off":
      return { message: "had a reply cut off at its longest", hint: longer(role, endpoints) };
  }
}

function longer(role: Role, endpoints: Endpoints): string {
  const setting = endpointSettings[role].tuning.maxOutputTokens.name;
  return endpoints[role].tuning.maxOutputTokens === null ? `set ${setting}, such as 8000` : `raise ${setting}`;
}
