import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OpenFolder, readRegular, sayRefusal } from "../../runner/disk/read-regular.js";
import { scratch } from "../helpers/scratch.js";

function whyNot(path: string, maxBytes = 100): string {
  const file = readRegular(path, maxBytes);
  return file.ok ? "read" : file.why;
}

describe("reading a file somebody else made", () => {
  it("gives a plain file byte for byte", () => {
    const path = join(scratch(), "plain");
    writeFileSync(path, Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00]));
    const file = readRegular(path, 5);
    expect(file.ok && [...file.content]).toEqual([0xef, 0xbb, 0xbf, 0xff, 0x00]);
  });

  it("follows no link, unlike an ordinary read", () => {
    const folder = scratch();
    writeFileSync(join(folder, "secret"), "key");
    symlinkSync("secret", join(folder, "AGENTS.md"));
    expect(readFileSync(join(folder, "AGENTS.md"), "utf8")).toBe("key");
    expect(whyNot(join(folder, "AGENTS.md"))).toBe("link");
  });

  it("waits for no FIFO and opens no device", () => {
    const fifo = join(scratch(), "fifo");
    execFileSync("mkfifo", [fifo]);
    expect(whyNot(fifo)).toBe("not_regular");
    expect(whyNot("/dev/zero")).toBe("not_regular");
  });

  it("refuses a file over its limit, a missing file and a folder", () => {
    const folder = scratch();
    writeFileSync(join(folder, "big"), "x".repeat(101));
    expect(whyNot(join(folder, "big"))).toBe("too_big");
    expect(whyNot(join(folder, "none"))).toBe("missing");
    expect(whyNot(join(folder, "big/none"))).toBe("missing");
    expect(whyNot(folder)).toBe("not_regular");
  });

  it("refuses a file whose size lies, as those of /proc do", () => {
    expect(whyNot("/proc/self/status")).toBe("too_big");
  });

  it("says in words why a file is refused", () => {
    const file = readRegular(join(scratch(), "none"), 1);
    expect(file.ok ? "" : sayRefusal(file)).toBe("is missing");
  });
});

describe("a folder held open", () => {
  it("stays the same folder when its path becomes a link to another, unlike a path", () => {
    const root = scratch();
    for (const [folder, text] of [
      ["tests", "honest"],
      ["elsewhere", "stolen"],
    ] as const) {
      mkdirSync(join(root, folder));
      writeFileSync(join(root, folder, "test_a.py"), text);
    }
    using tests = OpenFolder.open(join(root, "tests"), false);
    renameSync(join(root, "tests"), join(root, "moved"));
    symlinkSync("elsewhere", join(root, "tests"));
    const naive = readRegular(join(root, "tests/test_a.py"), 100);
    const held = tests?.read("test_a.py", 100);
    expect(naive.ok && naive.content.toString()).toBe("stolen");
    expect(held?.ok && held.content.toString()).toBe("honest");
    expect(OpenFolder.open(join(root, "tests"), false)).toBeNull();
  });

  it("lists its names in order, and none when there are too many", () => {
    const root = scratch();
    for (const name of ["b", "a", "c"]) writeFileSync(join(root, name), "");
    using folder = OpenFolder.open(root, false);
    expect(folder?.names(3)).toEqual(["a", "b", "c"]);
    expect(folder?.names(2)).toBeNull();
  });
});
