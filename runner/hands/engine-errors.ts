import { errnoCode } from "../support/disk-trouble.js";

/** The HTTP status an engine answered with, null for anything else that went wrong. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : null;
}

/** What the engine itself said, without the client's wrapping. */
export function reasonOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  const said = typeof json === "object" && json !== null && "message" in json ? json.message : undefined;
  if (typeof said === "string") return said;
  return errnoCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** The engine did not answer in time. */
export class EngineSilent extends Error {
  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
    this.name = "EngineSilent";
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
  return error instanceof EngineSilent || outageCodes.has(errnoCode(error) ?? "");
}
