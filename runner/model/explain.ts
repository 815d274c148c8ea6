import { TilthError } from "../base/errors.js";
import { localTime } from "../text/local-time.js";
import type { DeniedStatus, Fault } from "./faults/faults.js";
import type { Decision } from "./faults/retry.js";
import { ContextFull } from "./port/model-client.js";
import type { Route, SettingNames } from "./routing.js";

export interface FinalFault {
  readonly fault: Fault;
  readonly decision: Decision & { retry: false };
  readonly attempts: number;
  readonly maxOutageMinutes: number;
  /** the end of the wait that the endpoint asks for; null when none was asked for or nobody can wait so long */
  readonly until: Date | null;
  /** the command to type then; null when there is none */
  readonly goOn: string | null;
}

/** Returns the error that a question ends with: the fault, the address, and the setting to look at. */
export function explain({ endpoint, names }: Route, final: FinalFault): TilthError | ContextFull {
  const { fault, decision } = final;
  const where = endpoint.baseUrl;
  if (fault.kind === "context_full") return new ContextFull(`"${endpoint.model}" at ${where} says: ${fault.reason}`);
  if (fault.kind === "denied") {
    const hint = denied[fault.status](names);
    return new TilthError(
      "provider_denied",
      `the model endpoint ${where} refused "${endpoint.model}": ${fault.reason}`,
      hint,
    );
  }
  const asked = decision.why === "asked_to_wait" ? decision : null;
  if (asked !== null) {
    return new TilthError(
      "infra",
      `the model endpoint ${where} asks to wait ${seconds(asked.askedMs)}${final.until === null ? "" : `, until ${localTime(final.until)}`}, but only ${seconds(asked.leftMs)} of TILTH_MAX_OUTAGE_MINUTES (${final.maxOutageMinutes}) are left: ${fault.reason}`,
      afterwards(final),
    );
  }
  const tried = final.attempts <= 1 ? "" : ` after ${final.attempts} attempts`;
  return new TilthError(
    "infra",
    `the model endpoint ${where} gave no reply${tried}: ${fault.reason}`,
    hintOf(final, names),
  );
}

function afterwards({ until, goOn }: FinalFault): string {
  if (until === null || goOn === null) return "Continue later, or raise TILTH_MAX_OUTAGE_MINUTES.";
  return `After that: ${goOn}; ${goOn} --wait-for-limit waits until then by itself.`;
}

function hintOf({ fault, decision }: FinalFault, names: SettingNames): string {
  switch (decision.why) {
    case "outage":
      if (/^HTTP 429\b/.test(fault.reason))
        return `See whether the account that ${names.apiKey} belongs to has credit and quota left, or raise TILTH_MAX_OUTAGE_MINUTES to wait longer.`;
      return `Try again when it works; check ${names.baseUrl}, or raise TILTH_MAX_OUTAGE_MINUTES to wait longer.`;
    case "best_effort":
      if (fault.kind === "passing") return `Try again later; if it stays so, check ${names.baseUrl}.`;
      return unreached(names);
    case "final":
      return `Check ${names.baseUrl} and ${names.model}.`;
    default:
      return unreached(names);
  }
}

function unreached({ baseUrl }: SettingNames): string {
  return `Check ${baseUrl}, and that the endpoint runs and its certificate is trusted (NODE_EXTRA_CA_CERTS adds one).`;
}

const denied: Readonly<Record<DeniedStatus, (names: SettingNames) => string>> = {
  401: (names) => `Check ${names.apiKey}.`,
  402: (names) => `Add credit to the account that ${names.apiKey} belongs to, or set another key.`,
  403: (names) => `Check that ${names.apiKey} may use the model of ${names.model}.`,
  404: (names) => `Check ${names.model} and ${names.baseUrl} (most end in /v1).`,
};

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
