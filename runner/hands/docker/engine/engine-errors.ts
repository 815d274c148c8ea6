import { TilthError } from "../../../base/errors.js";
import { errnoCode } from "../../../disk/disk-trouble.js";

const mostSaid = 400;

/** Returns the HTTP status of an engine's answer, or null for any other error. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : null;
}

/** Returns the status of a refusal that `Engine.must` turned into a TilthError. */
export function refusalOf(error: unknown): number | null {
  return error instanceof TilthError ? statusOf(error.cause) : null;
}

/** Returns the engine's own words, without the client's wrapping. */
export function reasonOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  const said = typeof json === "object" && json !== null && "message" in json ? json.message : undefined;
  if (typeof said === "string") return shortened(said);
  // a web page, from some proxy or from another server there
  const status = statusOf(error);
  if (status !== null) return `it answered with status ${status}`;
  return errnoCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Shortens the text, because an engine may repeat the whole request to us. */
function shortened(said: string): string {
  return said.length <= mostSaid ? said : `${said.slice(0, mostSaid / 2)} … ${said.slice(-mostSaid / 2)}`;
}

/** The engine did not answer in time. */
export class EngineSilent extends Error {
  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
    this.name = "EngineSilent";
  }
}

/** The engine, or a proxy in front of it, sent something that is no answer. */
export class EngineNonsense extends Error {
  constructor() {
    super("what answers there is something else");
    this.name = "EngineNonsense";
  }
}

const outageCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNABORTED",
]);

/** True for a trouble that may pass: a daemon that restarts, is overloaded or does not answer. */
export function isOutage(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== null) return status >= 500;
  if (error instanceof EngineSilent || error instanceof EngineNonsense) return true;
  return outageCodes.has(errnoCode(error) ?? "");
}
