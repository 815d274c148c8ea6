import { systemClock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import { usualOrigin } from "../../hands/provider.js";
import { probeEndpoint } from "../../model/probe.js";
import { newSessionId } from "../../session/session-folders.js";
import type { Endpoint, Role } from "../../settings/endpoints.js";
import type { Settings } from "../../settings/settings.js";
import { HostGit } from "../../source/git/host-git.js";
import { type Finding, finding } from "./finding.js";
import { describeHome } from "./private-home.js";

/** Examines everything a run needs from the machine, each thing on its own. */
export async function examine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    ...(await examineMachine(settings, signal)),
    ...(await Promise.all(distinctEndpoints(settings).map((one) => examineEndpoint(one, signal)))),
  ];
}

/** The same without the endpoints. */
export async function examineMachine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    await finding("git", () => gitVersion(settings, signal)),
    await finding("home", async () => describeHome(settings.home)),
    ...(await examineHands(settings, signal)),
  ];
}

async function gitVersion(settings: Settings, signal: AbortSignal): Promise<string> {
  const git = HostGit.find(settings.host);
  const { stdout } = await git.run(["version"], { gitDir: null, doing: "tell its version", signal });
  return `${stdout.toString("utf8").trim()} (${git.binary})`;
}

type DistinctEndpoint = Endpoint & { readonly roles: readonly Role[] };

/** Roles that share an address and a key are examined together. */
function distinctEndpoints({ endpoints }: Settings): readonly DistinctEndpoint[] {
  const byPlace = new Map<string, DistinctEndpoint>();
  for (const [role, endpoint] of Object.entries(endpoints ?? {}) as [Role, Endpoint][]) {
    const place = `${endpoint.baseUrl} ${endpoint.apiKey ?? ""}`;
    byPlace.set(place, { ...endpoint, roles: [...(byPlace.get(place)?.roles ?? []), role] });
  }
  return [...byPlace.values()];
}

async function examineEndpoint(endpoint: DistinctEndpoint, signal: AbortSignal): Promise<Finding> {
  return finding("endpoint", async () => {
    const who = `${endpoint.baseUrl} (${endpoint.roles.join(", ")})`;
    const probe = await probeEndpoint(endpoint, signal);
    switch (probe.kind) {
      case "answers":
        return `${who} answers`;
      case "no_list":
        return `${who} answers, without a list of models (status ${probe.status})`;
      case "denied":
        throw new TilthError(
          "usage",
          `${who} refuses the key (status ${probe.status})`,
          "correct the API_KEY; tilth config shows where it comes from",
        );
      case "unreachable":
        throw new TilthError(
          "usage",
          `${who} cannot be reached: ${probe.why}`,
          "correct the BASE_URL, or start the server",
        );
    }
  });
}

/** Examines where hands come from, up to the first thing that is wrong. */
async function examineHands(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, look } of usualOrigin.examinations(settings, newSessionId(systemClock.now()))) {
    const found = await finding(name, () => look(signal));
    findings.push(found);
    if (!found.ok) break;
  }
  return findings;
}
