import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import type { CommitId, TreeId } from "../../runner/base/ids.js";
import type { Snapshot } from "../../runner/hands/ports/clerk.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import { makeSource, packOf } from "./sources.js";

export interface World {
  readonly hands: Hands;
  readonly worktree: string;
  close(): Promise<void>;
}

const baseFiles = {
  "README.md": "demo\n",
  ".gitignore": "ignored.log\n",
  "src/app.py": "X = 1\n",
  "data/lines.txt": "one\ntwo\nthree\nfour\n",
  "data/crlf.txt": "a\r\nb\r\n",
  "data/dollar.txt": "price = OLD\n",
  "fixture/HEAD": "ref: refs/heads/main\n",
  "fixture/objects/keep": "",
  "fixture/refs/keep": "",
};

/**
 * A number of seconds that no other sleep on this machine has: the worker of a fake sees every process of the machine.
 */
const long = `3${Date.now()}`;
const person = { name: "Ada", email: "ada@example.org" };
const signal = new AbortController().signal;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

/** The contract that every Hands keeps; each block starts from the base commit's files. */
export function handsContract(name: string, makeWorld: () => Promise<World>): void {
  describe(name, () => {
    let world: World;
    let hands: Hands;
    let sourceFolder: string;
    let base: CommitId;
    let baseTree: TreeId;

    beforeAll(async () => {
      sourceFolder = await mkdtemp(join(tmpdir(), "tilth-source-"));
      base = await makeSource(sourceFolder, baseFiles);
      world = await makeWorld();
      hands = world.hands;
      expect(await hands.clerk.open(base, signal)).toBe(false);
      await hands.clerk.takePack(packOf(sourceFolder, base), base, signal);
      expect(await hands.clerk.open(base, signal)).toBe(true);
      baseTree = await hands.clerk.treeOf(base, signal);
      expect((await hands.work.start(signal)).passed).toBe(true);
    });

    afterAll(async () => {
      await hands?.discard();
      await hands?.[Symbol.asyncDispose]();
      await world?.close();
      await rm(sourceFolder, { recursive: true, force: true });
    });

    beforeEach(async () => {
      await hands.clerk.materialise(base, signal);
      await hands.work.beginTask(base, signal);
    });

    async function bash(command: string): Promise<string> {
      const result = await hands.work.bash(command, 20_000, signal);
      expect(result.exit, text(result.head) + text(result.tail)).toBe(0);
      return text(result.head) + text(result.tail);
    }

    async function snapshot(): Promise<Extract<Snapshot, { ok: true }>> {
      const made = await hands.clerk.snapshot(baseTree, signal);
      if (!made.ok) throw new Error(JSON.stringify(made.problems));
      return made;
    }

    async function problems(): Promise<string[]> {
      const made = await hands.clerk.snapshot(baseTree, signal);
      return made.ok ? [] : made.problems.map(({ path }) => path);
    }

    test("an untouched worktree gives the base's own tree", async () => {
      expect(await snapshot()).toEqual({ ok: true, tree: baseTree, changes: [], leftOut: [] });
    });

    test("a command's exit code, output and folder are as in a shell", async () => {
      const result = await hands.work.bash("pwd; echo err >&2; ls data/lines.txt; exit 3", 20_000, signal);
      expect(result).toMatchObject({ exit: 3, timedOut: false, omitted: 0 });
      expect(text(result.head)).toContain("err\n");
      expect(text(result.head)).toContain("data/lines.txt");
    });

    test("a timed-out command says so and leaves nothing running", async () => {
      const result = await hands.work.bash(`sleep ${long} & sleep ${long}`, 300, signal);
      expect(result).toMatchObject({ timedOut: true });
      const count = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '[s]leep ${long}' || true`;
      expect(await bash(count)).toBe("0\n");
    });

    test("an interrupted command fails so", async () => {
      const stop = new AbortController();
      const running = hands.work.bash("sleep 30", 60_000, stop.signal);
      setTimeout(() => stop.abort(), 100);
      await expect(running).rejects.toBeInstanceOf(Interrupted);
    });

    test("files are read by lines, and a missing or outside path is an answer", async () => {
      const part = await hands.work.readFile({ path: "data/lines.txt", offset: 2, limit: 2, maxBytes: 100 }, signal);
      expect(part).toMatchObject({ ok: true, firstLine: 2, lastLine: 3, truncated: true });
      expect(part.ok && text(part.content)).toBe("two\nthree\n");
      expect(await hands.work.readFile({ path: "none.txt", maxBytes: 9 }, signal)).toMatchObject({ ok: false });
      expect(await hands.work.readFile({ path: "../../etc/passwd", maxBytes: 9 }, signal)).toMatchObject({ ok: false });
    });

    test("an edit replaces exactly one match, byte for byte", async () => {
      const lint = null;
      const edit = (path: string, oldString: string, newString: string) =>
        hands.work.editFile({ path, oldString, newString, maxBytes: 1000, lint }, signal);
      expect(await edit("data/dollar.txt", "OLD", "$& $$")).toMatchObject({ ok: true, path: "data/dollar.txt" });
      expect(await bash("cat data/dollar.txt")).toBe("price = $& $$\n");
      expect(await edit("data/lines.txt", "o", "x")).toMatchObject({ ok: false });
      expect(await edit("data/lines.txt", "absent", "x")).toMatchObject({ ok: false });
    });

    test("glob and grep find what the tree holds, hidden and ignored files included", async () => {
      await bash(
        "echo HIT > ignored.log; for i in node_modules env/site-packages .cache; do mkdir -p $i; echo HIT > $i/x.py; done",
      );
      expect(await hands.work.glob({ pattern: "**/*.py", limit: 9 }, signal)).toMatchObject({ paths: ["src/app.py"] });
      const hits = await hands.work.grep({ pattern: "H[I]T", pathGlob: null, limit: 9 }, signal);
      expect(hits).toMatchObject({ ok: true, lines: ["ignored.log:1: HIT"], truncated: false });
    });

    test("a snapshot holds what changed, with names and bytes as they are", async () => {
      await bash(
        "printf 'c\\r\\n' >> data/crlf.txt; rm README.md; echo 1 > 'new\nline'; echo 2 > $'caf\\351'; echo 3 > é",
      );
      await bash("chmod 755 src/app.py; rm -r data/lines.txt; mkdir data/lines.txt; echo 4 > data/lines.txt/in");
      const made = await snapshot();
      const seen = made.changes.map(({ status, path, mode }) => `${status} ${mode} ${path}`);
      expect(new Set(seen)).toEqual(
        new Set([
          "deleted 000000 README.md",
          'added 100644 "caf\\351"',
          "modified 100644 data/crlf.txt",
          "deleted 000000 data/lines.txt",
          "added 100644 data/lines.txt/in",
          "added 100644 new\nline",
          "modified 100755 src/app.py",
          "added 100644 é",
        ]),
      );
      const blob = await hands.clerk.blob(made.tree, "data/crlf.txt", 100, signal);
      expect(blob && text(blob)).toBe("a\r\nb\r\nc\r\n");
      expect(text((await hands.clerk.blob(made.tree, "new\nline", 100, signal)) ?? Buffer.from(""))).toBe("1\n");
      expect(text((await hands.clerk.blob(made.tree, '"caf\\351"', 100, signal)) ?? Buffer.from(""))).toBe("2\n");
      expect(await hands.clerk.blob(made.tree, "README.md", 100, signal)).toBeNull();
    });

    test("a snapshot leaves out what is ignored and says so once", async () => {
      await bash(
        "echo 1 > ignored.log; mkdir -p __pycache__ .venv/bin .hypothesis/examples; echo 2 > __pycache__/x.pyc; " +
          "ln -s /usr/bin .venv/bin/out; echo 3 > .hypothesis/examples/0; echo 4 > .coverage",
      );
      const made = await snapshot();
      expect(made.tree).toBe(baseTree);
      expect(made.leftOut).toContain("ignored.log");
      expect((await snapshot()).leftOut).toEqual([]);
    });

    test("attributes and filters of the tree change no byte", async () => {
      await bash("printf '* text eol=crlf ident filter=x\\n' > .gitattributes; printf 'a\\r\\n$Id$\\n' > odd.txt");
      const made = await snapshot();
      const blob = await hands.clerk.blob(made.tree, "odd.txt", 100, signal);
      expect(blob && text(blob)).toBe("a\r\n$Id$\n");
    });

    test.each([
      ["a nested repository", "git init -q sub", "sub"],
      ["a repository without .git", "mkdir -p bare/objects bare/refs; echo 'ref: refs/heads/x' > bare/HEAD", "bare"],
      ["a FIFO", "mkfifo pipe", "pipe"],
      ["a link that leads out", "ln -s /etc/passwd out", "out"],
      ["a link that climbs out", "ln -s ../../etc up", "up"],
      ["a link into .git", "ln -s .git/HEAD head", "head"],
    ])("%s is refused by its path, and the tree without it is taken", async (_, attack, path) => {
      await bash(`unset GIT_DIR GIT_WORK_TREE; ${attack}`);
      expect(await problems()).toEqual([path]);
      await bash(`rm -rf ${path}`);
      expect((await snapshot()).tree).toBe(baseTree);
    });

    test("a fixture that git would take for a repository is plain files while unchanged", async () => {
      await bash("echo 1 > src/other.py");
      expect((await snapshot()).changes.map(({ path }) => path)).toEqual(["src/other.py"]);
    });

    test("a link that stays inside is taken", async () => {
      await bash("ln -s ../data/lines.txt src/link");
      expect((await snapshot()).changes).toMatchObject([{ status: "added", path: "src/link", mode: "120000" }]);
    });

    test("an accepted tree becomes a commit whose pack holds what the base lacks", async () => {
      await bash("echo 'Y = 2' >> src/app.py");
      const { tree } = await snapshot();
      const date = new Date("2025-01-02T03:04:05Z");
      const made = { tree, parent: base, message: "T-001: y\n", author: person, committer: person, date };
      const sha = await hands.clerk.commit(made, signal);
      expect(await hands.clerk.commit(made, signal)).toBe(sha);
      expect(await hands.clerk.treeOf(sha, signal)).toBe(tree);
      const chunks: Uint8Array[] = [];
      for await (const chunk of hands.clerk.pack(sha, base, signal)) chunks.push(chunk);
      const pack = Buffer.concat(chunks);
      expect(pack.toString("latin1", 0, 4)).toBe("PACK");
      expect(pack.readUInt32BE(8)).toBe(4);
    });

    test("files are put into a tree without the worktree", async () => {
      const files = [{ path: "tests/test_t001_x.py", content: Buffer.from("def test_x(): assert 0\n") }];
      const tree = await hands.clerk.treeWith(baseTree, files, signal);
      expect(await hands.clerk.changes(baseTree, tree, signal)).toMatchObject([
        { status: "added", path: "tests/test_t001_x.py", mode: "100644" },
      ]);
      expect((await hands.clerk.list(tree, signal)).find(({ path }) => path === "tests/test_t001_x.py")?.size).toBe(23);
    });

    test("a tree takes single paths from another one, and goes without those that are not there", async () => {
      const content = (text: string) => Buffer.from(`${text}\n`);
      const one = await hands.clerk.treeWith(
        baseTree,
        [
          { path: "tests/helper", content: content("a file") },
          { path: "tests/ä b.py", content: content("old") },
          { path: "code.py", content: content("old") },
        ],
        signal,
      );
      const other = await hands.clerk.treeWith(
        baseTree,
        [
          { path: "tests/helper/__init__.py", content: content("a folder") },
          { path: "tests/ä b.py", content: content("new") },
          { path: "tests/new.py", content: content("new") },
          { path: "code.py", content: content("new") },
        ],
        signal,
      );
      const paths = ["tests/helper", "tests/helper/__init__.py", "tests/ä b.py", "tests/new.py"];
      const mixed = await hands.clerk.mixed(other, one, paths, signal);
      expect((await hands.clerk.changes(one, mixed, signal)).map(({ path }) => path)).toEqual(["code.py"]);
      expect(await hands.clerk.mixed(mixed, other, ["tests/helper", ...paths], signal)).toBe(other);
    });

    test("a diff is text, bounded, and says what was cut", async () => {
      await bash("echo five >> data/lines.txt; seq 1 2000 > long.txt");
      const { tree } = await snapshot();
      const whole = await hands.clerk.diff(baseTree, tree, 100_000, signal);
      expect(whole).toMatchObject({ truncated: false, largest: [] });
      expect(whole.text).toContain("+five");
      const cut = await hands.clerk.diff(baseTree, tree, 500, signal);
      expect(cut).toMatchObject({ truncated: true, bytes: whole.bytes });
      expect(cut.largest).toEqual([
        { path: "long.txt", lines: 2000 },
        { path: "data/lines.txt", lines: 1 },
      ]);
      expect(cut.text.length).toBeLessThan(800);
    });

    test("unfinished work is a readable patch", async () => {
      await bash("echo five >> data/lines.txt");
      expect(text(await hands.clerk.partialPatch(baseTree, 10_000, signal))).toContain("+five");
    });

    test("what is left behind is defused and named", async () => {
      await bash(
        "mkfifo pipe; echo 'x:' > Makefile; mkdir -p bare/objects bare/refs bare/hooks; echo 'ref: x' > bare/HEAD; echo > bare/config",
      );
      const left = await hands.clerk.defuse(baseTree, signal);
      expect(left.executes).toContain("Makefile");
      expect(left.renamed).toContain("bare/config");
      expect(await bash("ls pipe 2>/dev/null || echo gone")).toBe("gone\n");
    });

    test("emptying leaves nothing but .git", async () => {
      await bash("mkdir locked; echo > locked/x; chmod 000 locked");
      await hands.clerk.empty(signal);
      expect(await bash("ls -A | grep -vx .git || true")).toBe("");
    });
  });
}
