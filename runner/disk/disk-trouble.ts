import { TilthError } from "../base/errors.js";

const known: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ["no space is left on the disk", "free some space on that disk, then try again"],
  EDQUOT: ["the disk quota is used up", "free some space or raise the quota, then try again"],
  EIO: ["the disk reports an input/output error", "check that disk (dmesg), then try again"],
  EROFS: ["the disk is mounted read-only", "mount it writable or point TILTH_HOME at another disk, then try again"],
  EMFILE: ["too many files are open in this process", "raise the limit (ulimit -n 4096), then try again"],
  ENFILE: ["too many files are open on this machine", "close what holds them, then try again"],
  EACCES: ["permission is denied", "make it writable for your user (chmod, chown), then try again"],
  EPERM: ["the operation is not permitted", "make it writable for your user (chmod, chown, chattr), then try again"],
  ENOENT: ["its folder is gone", "put the folder back or prepare a new session"],
  ELOOP: ["a link stands where a plain file belongs", "remove that link, then try again"],
};

/** Messages as programs print them, with the codes they stand for. */
const printed: readonly (readonly [text: string, code: string])[] = [
  ["No space left on device", "ENOSPC"],
  ["Disk quota exceeded", "EDQUOT"],
  ["Input/output error", "EIO"],
  ["Read-only file system", "EROFS"],
  ["Too many open files", "EMFILE"],
];

/** Returns the remedy for the disk trouble that a program reported, or null when it reported none. */
export function remedyFor(said: string): string | null {
  const code = printed.find(([text]) => said.includes(text))?.[1];
  return (code === undefined ? undefined : known[code]?.[1]) ?? null;
}

/** Codes that no program is to blame for. */
const ofTheMachine = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);

export function errnoCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/**
 * Returns a TilthError for a system call that failed because of the machine, wherever it was made, and null otherwise.
 */
export function machineTrouble(error: unknown): TilthError | null {
  const code = errnoCode(error);
  if (code === null || !(error instanceof Error && "syscall" in error)) return null;
  if (error.syscall === "uv_cwd")
    return new TilthError("usage", "the current folder is gone", "cd to a folder that is there, then try again", error);
  if (!ofTheMachine.has(code)) return null;
  const where = "path" in error && typeof error.path === "string" ? error.path : "the disk";
  return diskTrouble("use", where, error);
}

/** Returns the error to throw for trouble with a state file; rethrows one that is not the disk's, which is a bug. */
export function diskTrouble(action: string, path: string, error: unknown): TilthError {
  if (error instanceof TilthError) return error;
  const code = errnoCode(error);
  if (code === null || !(error instanceof Error && "syscall" in error)) throw error;
  const [what, remedy] = known[code] ?? ["the system refused", "check that file and its disk, then try again"];
  return new TilthError("infra", `could not ${action} ${path}: ${what} (${code})`, remedy, error);
}
