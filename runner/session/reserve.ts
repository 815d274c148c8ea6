import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { diskTrouble } from "../disk/disk-trouble.js";
import { type FileIo, nodeIo, unlinkQuietly, writeWhole } from "../disk/file-io.js";

const bytes = 1024 * 1024;
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/**
 * Disk space held while a session runs and released before its last events, so that a run ended by a full disk can
 * still record how it ended.
 */
export class Reserve implements Disposable {
  readonly #path: string;
  readonly #io: FileIo;

  /** Throws TilthError `infra` if not even that much space is free. */
  static hold(path: string, io: FileIo = nodeIo): Reserve {
    const reserve = new Reserve(path, io);
    try {
      reserve.#fill();
    } catch (error) {
      reserve.release();
      throw diskTrouble("keep room for the session in", path, error);
    }
    return reserve;
  }

  private constructor(path: string, io: FileIo) {
    this.#path = path;
    this.#io = io;
  }

  release(): void {
    unlinkQuietly(this.#path, this.#io);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #fill(): void {
    const fd = this.#io.open(this.#path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      // not zeros: some file systems store those as nothing
      writeWhole(fd, randomBytes(bytes), this.#io);
      this.#io.sync(fd);
    } finally {
      this.#io.close(fd);
    }
  }
}
