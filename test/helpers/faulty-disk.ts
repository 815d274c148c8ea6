import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

export type DiskCode = "ENOSPC" | "EIO" | "EROFS" | "EMFILE";

export interface DiskFault {
  /** the folder below which calls fail */
  readonly folder: string;
  readonly code: DiskCode;
  /** the call that fails first, counted from one */
  readonly nth: number;
  /** no later call succeeds either, except those that make room */
  readonly forGood: boolean;
}

type Call = (...args: never[]) => unknown;

const onPaths = ["openSync", "mkdirSync", "renameSync", "linkSync", "unlinkSync", "rmSync", "rmdirSync"] as const;
const onFiles = ["writeSync", "fsyncSync", "ftruncateSync"] as const;
const byPath = [...onPaths, "writeFileSync"] as const;
/** calls that still work on a full disk */
const makesRoom = new Set<string>(["unlinkSync", "rmSync", "rmdirSync", "ftruncateSync"]);
const making = fs.constants.O_CREAT;
const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR | making;

/**
 * Spoils the disk under a folder for this process: counts every call that changes it (for EIO and EMFILE also opens to
 * read), through whichever module, and fails the `nth`. A write that fails has written half. Other calls reach the real
 * disk, except syncs.
 */
export class FaultyDisk implements Disposable {
  /** the counted calls, in order */
  readonly calls: string[] = [];
  readonly #fault: DiskFault;
  readonly #real = { ...fs };
  readonly #files = new Map<number, string>();

  constructor(fault: DiskFault) {
    this.#fault = fault;
    for (const name of byPath) this.#watch(name, (path, flags) => this.#concerns(name, path, flags));
    for (const name of onFiles) this.#watch(name, (fd) => this.#files.has(fd as number));
    const { closeSync } = this.#real;
    fs.closeSync = (fd) => {
      this.#files.delete(fd);
      closeSync(fd);
    };
    syncBuiltinESMExports();
  }

  get happened(): boolean {
    return this.calls.length >= this.#fault.nth;
  }

  [Symbol.dispose](): void {
    for (const name of [...byPath, ...onFiles, "closeSync"] as const) Object.assign(fs, { [name]: this.#real[name] });
    syncBuiltinESMExports();
  }

  #watch(name: (typeof byPath)[number] | (typeof onFiles)[number], isMeant: (...args: unknown[]) => boolean): void {
    const real = this.#real[name] as Call;
    const call = (...args: unknown[]): unknown => {
      if (isMeant(...args)) this.#step(name, args);
      const answer = name === "fsyncSync" ? undefined : real(...(args as never[]));
      if (name === "openSync" && this.#isBelow(args[0])) this.#files.set(answer as number, String(args[0]));
      return answer;
    };
    Object.assign(fs, { [name]: call });
  }

  #concerns(name: string, path: unknown, flags: unknown): boolean {
    if (!this.#isBelow(path)) return false;
    const { code } = this.#fault;
    if (code === "EMFILE") return name === "openSync";
    if (name !== "openSync" || code === "EIO") return true;
    return typeof flags === "number" && (flags & (code === "ENOSPC" ? making : writing)) !== 0;
  }

  #isBelow(path: unknown): boolean {
    return String(path).startsWith(this.#fault.folder);
  }

  #step(name: string, args: readonly unknown[]): void {
    const { code, nth, forGood } = this.#fault;
    if (code === "EMFILE" && name !== "openSync") return;
    if (code === "ENOSPC" && makesRoom.has(name)) return;
    const path = typeof args[0] === "number" ? this.#files.get(args[0]) : args[0];
    this.calls.push(`${name} ${String(path).slice(this.#fault.folder.length)}`);
    if (forGood ? this.calls.length < nth : this.calls.length !== nth) return;
    if (name === "writeSync") this.#writeHalf(args);
    throw Object.assign(new Error(`${code}: ${name} ${path}`), { code, syscall: name, path });
  }

  #writeHalf([fd, bytes, ...rest]: readonly unknown[]): void {
    if (!(bytes instanceof Uint8Array)) return;
    const position = rest.length > 2 ? (rest[2] as number | null) : null;
    this.#real.writeSync(fd as number, bytes, 0, Math.floor(bytes.length / 2), position);
  }
}
