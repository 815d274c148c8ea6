import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSeedDir } from "../../runner/seed/seed-folder.js";
import { scratch, thrownBy } from "../helpers/scratch.js";

function seedFolder(): string {
  const folder = scratch();
  mkdirSync(join(folder, "tests"));
  writeFileSync(join(folder, "prd.json"), '[{"id": "T-001"}]');
  writeFileSync(join(folder, "tests/test_t001_x.py"), "# é\r\n");
  return folder;
}

describe("a seed written by hand", () => {
  it("is read as it stands, and other files beside it are left alone", () => {
    const folder = seedFolder();
    writeFileSync(join(folder, "README.md"), "x");
    const seed = readSeedDir(folder);
    expect(seed).toEqual({ prd: [{ id: "T-001" }], testFiles: new Map([["test_t001_x.py", "# é\r\n"]]), meta: null });
    writeFileSync(join(folder, "seed-meta.json"), '\ufeff{"tldr": "x"}');
    expect(readSeedDir(folder).meta).toEqual({ tldr: "x" });
  });

  it("may be reached through a link that the person names", () => {
    const link = join(scratch(), "link");
    symlinkSync(seedFolder(), link);
    expect(readSeedDir(link).testFiles.size).toBe(1);
  });

  it.each<[string, (folder: string) => void, string]>([
    ["no folder", (folder) => rmSync(folder, { recursive: true }), "tilth-test-"],
    ["no prd.json", (folder) => rmSync(join(folder, "prd.json")), "prd.json"],
    ["no JSON", (folder) => writeFileSync(join(folder, "prd.json"), "[{"), "prd.json is not JSON: Expected property"],
    [
      "a task with two titles",
      (folder) => writeFileSync(join(folder, "prd.json"), '[{"title": "a", "title": "b"}]'),
      'prd.json names "title" twice',
    ],
    ["no UTF-8", (folder) => writeFileSync(join(folder, "prd.json"), Buffer.from([0x5b, 0xff, 0x5d])), "prd.json"],
    [
      "a prd.json that is a link",
      (folder) => {
        rmSync(join(folder, "prd.json"));
        symlinkSync("/etc/passwd", join(folder, "prd.json"));
      },
      "prd.json",
    ],
    [
      "a prd.json that is a FIFO",
      (folder) => {
        rmSync(join(folder, "prd.json"));
        execFileSync("mkfifo", [join(folder, "prd.json")]);
      },
      "prd.json",
    ],
    [
      "a seed-meta.json that is no JSON",
      (folder) => writeFileSync(join(folder, "seed-meta.json"), "{nope"),
      "seed-meta.json",
    ],
    ["a seed-meta.json that is a folder", (folder) => mkdirSync(join(folder, "seed-meta.json")), "seed-meta.json"],
    ["no tests/", (folder) => rmSync(join(folder, "tests"), { recursive: true }), "tests"],
    [
      "tests/ that is a link",
      (folder) => {
        rmSync(join(folder, "tests"), { recursive: true });
        symlinkSync(join(seedFolder(), "tests"), join(folder, "tests"));
      },
      "tests",
    ],
    ["notes among the tests", (folder) => writeFileSync(join(folder, "tests/notes.txt"), ""), "notes.txt"],
    ["a conftest", (folder) => writeFileSync(join(folder, "tests/conftest.py"), ""), "conftest.py"],
    ["a hidden file", (folder) => writeFileSync(join(folder, "tests/.hidden"), ""), ".hidden"],
    [
      "a line break behind a name",
      (folder) => writeFileSync(join(folder, "tests/test_t002_x.py\n"), ""),
      String.raw`(spelled "test_t002_x.py\u000a")`,
    ],
    ["a subfolder", (folder) => mkdirSync(join(folder, "tests/sub")), "sub"],
    ["a folder with a test's name", (folder) => mkdirSync(join(folder, "tests/test_t002_x.py")), "test_t002_x.py"],
    [
      "a test that is a link",
      (folder) => symlinkSync("test_t001_x.py", join(folder, "tests/test_t002_x.py")),
      "test_t002_x.py",
    ],
    [
      "a test that is a FIFO",
      (folder) => void execFileSync("mkfifo", [join(folder, "tests/test_t002_x.py")]),
      "test_t002_x.py",
    ],
    [
      "a test that is no UTF-8",
      (folder) => writeFileSync(join(folder, "tests/test_t002_x.py"), Buffer.from([0xff])),
      "test_t002_x.py",
    ],
    [
      "a test of a terabyte",
      (folder) => {
        writeFileSync(join(folder, "tests/test_t002_x.py"), "");
        truncateSync(join(folder, "tests/test_t002_x.py"), 2 ** 40);
      },
      "test_t002_x.py",
    ],
    [
      "a name that would act on a terminal",
      (folder) => writeFileSync(join(folder, "tests/a\u001b[2J"), ""),
      "tests/a[2J",
    ],
  ])("is refused by name and without waiting: %s", (_, spoil, named) => {
    const folder = seedFolder();
    spoil(folder);
    expect(thrownBy(() => readSeedDir(folder))).toMatchObject({
      code: "usage",
      message: expect.stringContaining(named),
      hint: expect.stringContaining(folder),
    });
  });
});
