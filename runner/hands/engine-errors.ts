import { TilthError } from "../base/errors.js";
import { errnoCode } from "../disk/disk-trouble.js";

const mostSaid = 400;

/** The HTTP status an engine answered with, null for anything else that went wrong. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : null;
}

/** The status of a refusal that `Engine.must` made an error of tilth's. */
export function refusalOf(error: unknown): number | null {
  return error instanceof TilthError ? statusOf(error.cause) : null;
}

/** What the engine itself said, without the client's wrapping. */
export function reasonOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  const said = typeof json === "object" && json !== null && "message" in json ? json.message : undefined;
  if (typeof said === "string") return shortened(said);
  // a web page, of some proxy or of whoever else listens there
  const status = statusOf(error);
  if (status !== null) return `it answered with status ${status}`;
  return errnoCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** An engine may repeat to us all that it was asked for. */
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

/** The engine, or what stands in front of it, answered something that is no answer. */
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

/** It may go away by itself: a daemon that restarts, is overloaded or does not answer. */
export function isOutage(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== null) return status >= 500;
  if (error instanceof EngineSilent || error instanceof EngineNonsense) return true;
  return outageCodes.has(errnoCode(error) ?? "");
}
