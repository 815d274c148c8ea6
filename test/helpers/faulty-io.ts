import { type FileIo, nodeIo } from "../../runner/disk/file-io.js";

class Killed extends Error {}

export interface FaultyIo {
  readonly io: FileIo;
  /** the operations, in order */
  readonly calls: string[];
  /** whether the fault was reached at all */
  happened(): boolean;
}

/**
 * The real disk until its `nth` operation. `error`: that operation fails with `code`, a write after half of its bytes.
 * `kill`: the process is gone, half of a write done, and nothing it does afterwards (cleaning up) has any effect.
 */
export function faultyIo(nth: number, how: "error" | "kill", code = "EIO"): FaultyIo {
  const calls: string[] = [];
  let dead = false;
  const step = <T>(name: string, half: () => void, act: () => T): T => {
    if (dead) throw new Killed();
    calls.push(name);
    if (calls.length !== nth) return act();
    half();
    if (how === "error") throw Object.assign(new Error(`${code}: ${name}`), { code, syscall: name });
    dead = true;
    throw new Killed();
  };
  const nothing = (): void => undefined;
  const io: FileIo = {
    open: (path, flags, mode) => step("open", nothing, () => nodeIo.open(path, flags, mode)),
    write: (fd, bytes, position) => {
      const writeHalf = () => nodeIo.write(fd, bytes.subarray(0, Math.floor(bytes.length / 2)), position);
      return step("write", writeHalf, () => nodeIo.write(fd, bytes, position));
    },
    sync: (fd) => step("sync", nothing, () => nodeIo.sync(fd)),
    truncate: (fd, length) => step("truncate", nothing, () => nodeIo.truncate(fd, length)),
    // a descriptor is closed when its process ends
    close: (fd) => nodeIo.close(fd),
    rename: (from, to) => step("rename", nothing, () => nodeIo.rename(from, to)),
    link: (from, to) => step("link", nothing, () => nodeIo.link(from, to)),
    unlink: (path) => step("unlink", nothing, () => nodeIo.unlink(path)),
  };
  return { io, calls, happened: () => calls.length >= nth };
}
