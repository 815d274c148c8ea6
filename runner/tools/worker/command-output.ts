import type { CommandResult, DiskFull } from "../../hands/ports/work.js";
import { decoded } from "../../text/bounded-text.js";
import { limits } from "../tool/limits.js";

const half = limits.outputCharacters / 2;
const mostNamed = 8;

/** Tells the model about a command: how it ended, what it left running, what it printed. */
export function commandOutput(result: CommandResult, timeoutMs: number): string {
  const printed = shown(result);
  return [
    ending(result, timeoutMs),
    roomLeft(result.full),
    leftovers(result.killed),
    notAllowed(result.refusedHosts),
    printed === "" ? "(no output)" : printed,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function ending(result: CommandResult, timeoutMs: number): string {
  if (result.full?.stopped) return `stopped: ${tooFull[result.full.what]}; it and everything it started was killed`;
  if (result.timedOut) return `timed out after ${timeoutMs / 1000} s; it and everything it started was killed`;
  if (result.exit !== null) return `exit code ${result.exit}`;
  return `killed by ${result.signal ?? "an unknown signal"}; there is no exit code`;
}

const tooFull: Readonly<Record<DiskFull["what"], string>> = {
  space: "the disk is nearly full",
  files: "hardly any more files can be made on the disk",
  share: "/workspace takes more of the disk than it may",
};

function roomLeft(full: DiskFull | null): string {
  if (full === null) return "";
  const named = full.largest.map(({ path, bytes }) => `${path} (${megabytes(bytes)})`).join(", ");
  return [
    ...(full.stopped ? [] : [`careful: ${tooFull[full.what]}`]),
    ...(full.removed.length > 0 ? [`removed, to go on at all: ${full.removed.slice(0, mostNamed).join(", ")}`] : []),
    `remove what the task does not need; ${megabytes(full.free)} are free${named === "" ? "" : `; the largest: ${named}`}`,
  ].join("\n");
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / (1024 * 1024))} MB`;
}

function leftovers(killed: readonly string[]): string {
  if (killed.length === 0) return "";
  const named = killed.slice(0, mostNamed).map((line) => line.slice(0, 80));
  const more = killed.length > named.length ? [`and ${killed.length - named.length} more`] : [];
  return `still running at its end, killed: ${[...named, ...more].join(", ")}`;
}

function notAllowed(hosts: readonly string[]): string {
  if (hosts.length === 0) return "";
  return `not allowed to reach: ${hosts.join(", ")}; only a person can allow it (--allow-host), so go on without it or say what it was for`;
}

function shown({ head, tail, omitted }: CommandResult): string {
  const whole = omitted === 0 ? decoded(Buffer.concat([head, tail])) : null;
  if (whole !== null && whole.length <= limits.outputCharacters) return whole;
  const all = head.length + tail.length + omitted;
  const [first, last] = whole === null ? [beforeCut(head), afterCut(tail)] : [whole, whole];
  const start = first.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const end = last.slice(-half).replace(/^[\udc00-\udfff]/, "");
  const left = Math.max(0, all - Buffer.byteLength(start) - Buffer.byteLength(end));
  return `${start}\n[… ${left} of ${all} bytes left out …]\n${end}`;
}

/** Decodes bytes that were cut at their end and drops half a character there. */
function beforeCut(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** Decodes bytes whose start is missing: a character goes on for three bytes at most. */
function afterCut(bytes: Uint8Array): string {
  const whole = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return decoded(bytes.subarray(Math.max(0, whole)));
}
