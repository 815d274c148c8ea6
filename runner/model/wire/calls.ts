import { randomBytes } from "node:crypto";
import type { Masker } from "../../text/mask.js";
import { argumentsOf } from "../port/call-arguments.js";
import type { ToolCall } from "../port/model-client.js";

/** Further calls of one reply are dropped, except for the last: it shows whether the reply was cut off. */
const mostCallsKept = 2_048;
/** Printable, and no longer than the strictest provider takes. */
const plainId = /^[!-~]{1,40}$/;
/** Some gateways put a signature into the id of a call. */
const longId = /^[!-~]{41,65536}$/;

export function boundedCalls<T>(made: readonly T[]): { readonly kept: readonly T[]; readonly dropped: readonly T[] } {
  if (made.length <= mostCallsKept) return { kept: made, dropped: [] };
  return { kept: [...made.slice(0, mostCallsKept - 1), ...made.slice(-1)], dropped: made.slice(mostCallsKept - 1, -1) };
}

/** A call as it came; its parts may have any type. */
export interface GivenCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
}

export interface HeardCall {
  readonly call: ToolCall;
  /** the id that its provider gave, when one of ours replaces it */
  readonly theirId: string | null;
}

export interface Hearing {
  readonly masker: Masker;
  /** ids of calls earlier in the conversation, both ours and their providers' */
  readonly takenIds: Pick<ReadonlySet<string>, "has">;
}

export function heardCalls(given: readonly GivenCall[], { masker, takenIds }: Hearing): readonly HeardCall[] {
  const taken = new Set<string>();
  const isTaken = (id: string) => taken.has(id) || takenIds.has(id);
  return given.map((call) => {
    const theirs = usableId(call.id, { masker, isTaken });
    const id = theirs !== null && plainId.test(theirs) ? theirs : ourId();
    taken.add(id);
    if (theirs !== null) taken.add(theirs);
    const name = typeof call.name === "string" ? masker.text(call.name) : "";
    const heard = { id, name, arguments: argumentsText(call.arguments, masker) };
    return { call: heard, theirId: theirs === id ? null : theirs };
  });
}

/** Makes name and arguments acceptable to any provider: a model's slip would get every later request refused. */
export function mended(call: ToolCall): { readonly name: string; readonly arguments: string } {
  const { kind } = argumentsOf(call);
  return {
    name: call.name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed",
    arguments: kind === "object" || kind === "unfit" ? call.arguments : "{}",
  };
}

interface Ids {
  readonly masker: Masker;
  readonly isTaken: (id: string) => boolean;
}

function usableId(id: unknown, { masker, isTaken }: Ids): string | null {
  if (typeof id !== "string" || !(plainId.test(id) || longId.test(id)) || isTaken(id)) return null;
  return masker.text(id) === id ? id : null;
}

function ourId(): string {
  return `call_${randomBytes(12).toString("hex")}`;
}

function argumentsText(raw: unknown, masker: Masker): string {
  if (raw === undefined) return "";
  return typeof raw === "string" ? masker.text(raw) : JSON.stringify(masker.deep(raw));
}
