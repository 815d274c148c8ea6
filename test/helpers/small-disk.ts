import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostPath, hostPath } from "../../runner/base/ids.js";
import { errnoCode } from "../../runner/disk/disk-trouble.js";

/** Only root can mount one. */
export const canMount = process.getuid?.() === 0;

/** A real file system of a few megabytes, which can be filled to the last byte and emptied again. */
export class SmallDisk implements Disposable {
  readonly path: HostPath;
  readonly #made: boolean;

  constructor(megabytes: number, at?: string) {
    this.#made = at === undefined;
    this.path = hostPath(at ?? mkdtempSync(join(tmpdir(), "tilth-disk-")));
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", this.path]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Fills the disk, as another program of the machine would. */
  fill(): void {
    const fd = openSync(this.#filler, "a", 0o600);
    try {
      for (const chunk of [1024 * 1024, 4096, 1]) writeUntilFull(fd, Buffer.alloc(chunk));
    } finally {
      closeSync(fd);
    }
  }

  empty(): void {
    rmSync(this.#filler);
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["--lazy", this.path]);
    if (this.#made) rmdirSync(this.path);
  }

  get #filler(): string {
    return join(this.path, "somebody-elses");
  }
}

function writeUntilFull(fd: number, chunk: Uint8Array): void {
  try {
    for (;;) writeSync(fd, chunk);
  } catch (error) {
    if (errnoCode(error) !== "ENOSPC") throw error;
  }
}
