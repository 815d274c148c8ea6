import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import { sweepTemporaries, writeFileAtomic, writePiecesAtomic } from "../../runner/disk/atomic-file.js";
import { type FileIo, nodeIo } from "../../runner/disk/file-io.js";
import { faultyIo } from "../helpers/faulty-io.js";
import { scratch, thrownBy } from "../helpers/scratch.js";

const before = JSON.stringify({ state: "old".repeat(50) });
const after = JSON.stringify({ state: "new".repeat(80) });

type Writer = (path: string, content: string, io: FileIo) => void;

const naive: Writer = (path, content, io) => {
  const fd = io.open(path, 0o1001, 0o600);
  io.write(fd, Buffer.from(content), null);
  io.close(fd);
};

/** The contents of the file after a fault at each operation in turn, until a run survives. */
function statesAfterFaults(writer: Writer, how: "error" | "kill"): Set<string> {
  const states = new Set<string>();
  for (let nth = 1; ; nth += 1) {
    const folder = scratch();
    const path = join(folder, "state.json");
    writeFileSync(path, before);
    const faulty = faultyIo(nth, how);
    const failure = (() => {
      try {
        writer(path, after, faulty.io);
      } catch (error) {
        return error;
      }
    })();
    if (!faulty.happened()) return states;
    expect(failure).toBeDefined();
    states.add(readFileSync(path, "utf8"));
    sweepTemporaries(folder, new Date());
    expect(readdirSync(folder)).toEqual(["state.json"]);
  }
}

describe("an atomic write", () => {
  it.each(["error", "kill"] as const)(
    "leaves either the old state or the new at whichever operation it meets: %s",
    (how) => {
      expect(statesAfterFaults(writeFileAtomic, how)).toEqual(new Set([before, after]));
    },
  );

  it("is needed, because writing in place leaves garbage", () => {
    const states = statesAfterFaults(naive, "kill");
    expect([...states].some((state) => state !== before && state !== after)).toBe(true);
  });

  it("makes the content durable before the name, and the name before it returns", () => {
    const { io, calls } = faultyIo(Number.POSITIVE_INFINITY, "error");
    writeFileAtomic(join(scratch(), "state.json"), after, io);
    expect(calls).toEqual(["open", "write", "sync", "rename", "open", "sync"]);
  });

  it.each(["ENOSPC", "EIO", "EROFS", "EMFILE", "EACCES", "EDQUOT"])(
    "is an infrastructure error with a remedy when it fails with %s",
    (code) => {
      const path = join(scratch(), "state.json");
      const error = thrownBy(() => writeFileAtomic(path, after, faultyIo(2, "error", code).io));
      expect(error).toBeInstanceOf(TilthError);
      expect(error).toMatchObject({
        code: "infra",
        message: expect.stringContaining(path),
        hint: expect.stringContaining("try again"),
      });
      expect(error).toMatchObject({ message: expect.stringContaining(code) });
    },
  );

  it("passes a bug on unchanged", () => {
    const broken: FileIo = {
      ...nodeIo,
      rename: () => {
        throw new TypeError("bug");
      },
    };
    expect(thrownBy(() => writeFileAtomic(join(scratch(), "x"), "", broken))).toBeInstanceOf(TypeError);
  });

  it("is complete even when each write takes fewer bytes than it was given", () => {
    const path = join(scratch(), "state.json");
    const slow: FileIo = {
      ...nodeIo,
      write: (fd, bytes, position) => nodeIo.write(fd, bytes.subarray(0, 7), position),
    };
    writeFileAtomic(path, after, slow);
    expect(readFileSync(path, "utf8")).toBe(after);
  });

  it("replaces a link instead of writing through it, and its file is readable by its owner only", () => {
    const folder = scratch();
    mkdirSync(join(folder, "elsewhere"));
    writeFileSync(join(folder, "elsewhere/precious"), "precious");
    symlinkSync(join(folder, "elsewhere/precious"), join(folder, "state.json"));
    writeFileAtomic(join(folder, "state.json"), after);
    expect(readFileSync(join(folder, "elsewhere/precious"), "utf8")).toBe("precious");
    expect(statSync(join(folder, "state.json")).mode & 0o777).toBe(0o600);
  });
});

describe("an atomic write of pieces", () => {
  async function* pieces(fail = false): AsyncGenerator<string> {
    yield after.slice(0, 100);
    if (fail) throw new Error("no more pieces");
    yield after.slice(100);
  }

  it.each(["error", "kill"] as const)(
    "leaves either the old state or the new at whichever operation it meets: %s",
    async (how) => {
      const states = new Set<string>();
      for (let nth = 1, going = true; going; nth += 1) {
        const path = join(scratch(), "page.html");
        writeFileSync(path, before);
        const faulty = faultyIo(nth, how);
        await writePiecesAtomic(path, pieces(), faulty.io).catch(() => undefined);
        states.add(readFileSync(path, "utf8"));
        going = faulty.happened();
      }
      expect(states).toEqual(new Set([before, after]));
    },
  );

  it("leaves the old file and nothing beside it when the pieces break off", async () => {
    const folder = scratch();
    const path = join(folder, "page.html");
    writeFileSync(path, before);
    await expect(writePiecesAtomic(path, pieces(true))).rejects.toThrow("no more pieces");
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["page.html"], before]);
    await writePiecesAtomic(path, pieces());
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["page.html"], after]);
  });
});
