import { expect, test } from "vitest";
import type { HandsPart, PreparedHands } from "./hands-contract.js";
import { bash, snapshot, text } from "./in-hands.js";

const person = { name: "Ada", email: "ada@example.org" };
const { signal } = new AbortController();

async function problems({ hands, baseTree }: PreparedHands): Promise<string[]> {
  const made = await hands.clerk.snapshot(baseTree, signal);
  return made.ok ? [] : made.problems.map(({ path }) => path);
}

/** A clerk with a real git over a worktree in which commands have run. */
export const clerkContract: HandsPart = (prepared) => {
  test("a snapshot holds the changes, with names and bytes as they are", async () => {
    await bash(
      prepared(),
      "printf 'c\\r\\n' >> data/crlf.txt; rm README.md; echo 1 > 'new\nline'; echo 2 > $'caf\\351'; echo 3 > é",
    );
    await bash(
      prepared(),
      "chmod 755 src/app.py; rm -r data/lines.txt; mkdir data/lines.txt; echo 4 > data/lines.txt/in",
    );
    const made = await snapshot(prepared());
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
    const blob = await prepared().hands.clerk.blob(made.tree, "data/crlf.txt", 100, signal);
    expect(blob && text(blob)).toBe("a\r\nb\r\nc\r\n");
    expect(text((await prepared().hands.clerk.blob(made.tree, "new\nline", 100, signal)) ?? Buffer.from(""))).toBe(
      "1\n",
    );
    expect(text((await prepared().hands.clerk.blob(made.tree, '"caf\\351"', 100, signal)) ?? Buffer.from(""))).toBe(
      "2\n",
    );
    expect(await prepared().hands.clerk.blob(made.tree, "README.md", 100, signal)).toBeNull();
  });

  test("a snapshot leaves out ignored files and says so once", async () => {
    await bash(
      prepared(),
      "echo 1 > ignored.log; mkdir -p __pycache__ .venv/bin .hypothesis/examples; echo 2 > __pycache__/x.pyc; " +
        "ln -s /usr/bin .venv/bin/out; echo 3 > .hypothesis/examples/0; echo 4 > .coverage",
    );
    const made = await snapshot(prepared());
    expect(made.tree).toBe(prepared().baseTree);
    expect(made.leftOut).toContain("ignored.log");
    expect((await snapshot(prepared())).leftOut).toEqual([]);
  });

  test("attributes and filters in the tree change no byte", async () => {
    await bash(
      prepared(),
      "printf '* text eol=crlf ident filter=x\\n' > .gitattributes; printf 'a\\r\\n$Id$\\n' > odd.txt",
    );
    const made = await snapshot(prepared());
    const blob = await prepared().hands.clerk.blob(made.tree, "odd.txt", 100, signal);
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
    await bash(prepared(), `unset GIT_DIR GIT_WORK_TREE; ${attack}`);
    expect(await problems(prepared())).toEqual([path]);
    await bash(prepared(), `rm -rf ${path}`);
    expect((await snapshot(prepared())).tree).toBe(prepared().baseTree);
  });

  test("a fixture that git would take for a repository counts as plain files while it is unchanged", async () => {
    await bash(prepared(), "echo 1 > src/other.py");
    expect((await snapshot(prepared())).changes.map(({ path }) => path)).toEqual(["src/other.py"]);
  });

  test("a link that stays inside is accepted", async () => {
    await bash(prepared(), "ln -s ../data/lines.txt src/link");
    expect((await snapshot(prepared())).changes).toMatchObject([{ status: "added", path: "src/link", mode: "120000" }]);
  });

  test("an accepted tree becomes a commit whose pack holds what the base lacks", async () => {
    await bash(prepared(), "echo 'Y = 2' >> src/app.py");
    const { tree } = await snapshot(prepared());
    const date = new Date("2025-01-02T03:04:05Z");
    const made = { tree, parent: prepared().base, message: "T-001: y\n", author: person, committer: person, date };
    const sha = await prepared().hands.clerk.commit(made, signal);
    expect(await prepared().hands.clerk.commit(made, signal)).toBe(sha);
    expect(await prepared().hands.clerk.treeOf(sha, signal)).toBe(tree);
    const chunks: Uint8Array[] = [];
    for await (const chunk of prepared().hands.clerk.pack(sha, prepared().base, signal)) chunks.push(chunk);
    const pack = Buffer.concat(chunks);
    expect(pack.toString("latin1", 0, 4)).toBe("PACK");
    expect(pack.readUInt32BE(8)).toBe(4);
  });

  test("a diff is text within a bound, and says what was cut", async () => {
    await bash(prepared(), "echo five >> data/lines.txt; seq 1 2000 > long.txt");
    const { tree } = await snapshot(prepared());
    const whole = await prepared().hands.clerk.diff(prepared().baseTree, tree, 100_000, signal);
    expect(whole).toMatchObject({ truncated: false, largest: [] });
    expect(whole.text).toContain("+five");
    const cut = await prepared().hands.clerk.diff(prepared().baseTree, tree, 500, signal);
    expect(cut).toMatchObject({ truncated: true, bytes: whole.bytes });
    expect(cut.largest).toEqual([
      { path: "long.txt", lines: 2000 },
      { path: "data/lines.txt", lines: 1 },
    ]);
    expect(cut.text.length).toBeLessThan(800);
  });

  test("unfinished work becomes a readable patch", async () => {
    await bash(prepared(), "echo five >> data/lines.txt");
    expect(text(await prepared().hands.clerk.partialPatch(prepared().baseTree, 10_000, signal))).toContain("+five");
  });

  test("dangerous remains in the worktree are defused and named", async () => {
    await bash(
      prepared(),
      "mkfifo pipe; echo 'x:' > Makefile; mkdir -p bare/objects bare/refs bare/hooks; echo 'ref: x' > bare/HEAD; echo > bare/config",
    );
    const left = await prepared().hands.clerk.defuse(prepared().baseTree, signal);
    expect(left.executes).toContain("Makefile");
    expect(left.renamed).toContain("bare/config");
    expect(await bash(prepared(), "ls pipe 2>/dev/null || echo gone")).toBe("gone\n");
  });

  test("emptying leaves nothing but .git", async () => {
    await bash(prepared(), "mkdir locked; echo > locked/x; chmod 000 locked");
    await prepared().hands.clerk.empty(signal);
    expect(await bash(prepared(), "ls -A | grep -vx .git || true")).toBe("");
  });
};
