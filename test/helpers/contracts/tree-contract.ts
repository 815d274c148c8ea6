import { expect, test } from "vitest";
import type { HandsPart } from "./hands-contract.js";
import { snapshot, text, treeWith, write } from "./in-hands.js";

const { signal } = new AbortController();
const person = { name: "Ada", email: "ada@example.org" };

/** Trees and commits as any clerk makes them of files that the worker's tools wrote; no command runs. */
export const treeContract: HandsPart = (prepared) => {
  test("an untouched worktree gives the base's own tree", async () => {
    const { baseTree } = prepared();
    expect(await snapshot(prepared())).toEqual({ ok: true, tree: baseTree, changes: [], leftOut: [] });
  });

  test("a snapshot holds what changed, and the clerk has the bytes", async () => {
    const { clerk } = prepared().hands;
    await write(prepared(), { "src/app.py": "X = 2\n", "src/new.py": "Y = 1\n" });
    const { tree, changes } = await snapshot(prepared());
    expect(changes.map(({ status, path }) => `${status} ${path}`)).toEqual(["modified src/app.py", "added src/new.py"]);
    expect(text(await clerk.blob(tree, "src/new.py", 100, signal))).toBe("Y = 1\n");
    expect(await clerk.blob(tree, "src/none.py", 100, signal)).toBeNull();
    const [{ oid = "" } = {}] = changes;
    expect(text(await clerk.content(oid, 100, signal))).toBe("X = 2\n");
    expect([await clerk.content(oid, 2, signal), await clerk.content("0".repeat(40), 100, signal)]).toEqual([
      null,
      null,
    ]);
    expect([await clerk.holds(tree, signal), (await snapshot(prepared(), tree)).changes]).toEqual([true, []]);
  });

  test("a written file is read again, and one that is not there is an answer", async () => {
    const { work } = prepared().hands;
    await write(prepared(), { "a/b.txt": "deep\n" });
    const read = await work.readFile({ path: "a/b.txt", maxBytes: 100 }, signal);
    expect(read).toMatchObject({ ok: true, size: 5, truncated: false });
    expect(read.ok && text(read.content)).toBe("deep\n");
    expect(await work.readFile({ path: "none.txt", maxBytes: 9 }, signal)).toMatchObject({ ok: false });
  });

  test("files can be put into a tree without the worktree", async () => {
    const { hands, baseTree } = prepared();
    const tree = await treeWith(prepared(), { "tests/test_t001_x.py": "def test_x(): assert 0\n" });
    expect(await hands.clerk.changes(baseTree, tree, signal)).toMatchObject([
      { status: "added", path: "tests/test_t001_x.py", mode: "100644" },
    ]);
    expect((await hands.clerk.list(tree, signal)).find(({ path }) => path === "tests/test_t001_x.py")?.size).toBe(23);
    expect((await snapshot(prepared())).changes).toEqual([]);
  });

  test("a tree takes single paths from another one, and loses those that the other does not have", async () => {
    const { clerk } = prepared().hands;
    const [one, other] = await Promise.all([
      treeWith(prepared(), { "tests/helper": "a file\n", "tests/ä b.py": "old\n", "code.py": "old\n" }),
      treeWith(prepared(), {
        "tests/helper/__init__.py": "a folder\n",
        "tests/ä b.py": "new\n",
        "tests/new.py": "new\n",
        "code.py": "new\n",
      }),
    ]);
    const paths = ["tests/helper", "tests/helper/__init__.py", "tests/ä b.py", "tests/new.py"];
    const mixed = await clerk.mixed(other, one, paths, signal);
    expect((await clerk.changes(one, mixed, signal)).map(({ path }) => path)).toEqual(["code.py"]);
    expect(await clerk.mixed(mixed, other, ["tests/helper", ...paths], signal)).toBe(other);
  });

  test("a tree becomes a commit, the same one every time, and comes back into the worktree", async () => {
    const { hands, base } = prepared();
    await write(prepared(), { "src/app.py": "Y = 2\n" });
    const { tree } = await snapshot(prepared());
    const date = new Date("2025-01-02T03:04:05Z");
    const made = { tree, parent: base, message: "T-001: y\n", author: person, committer: person, date };
    const sha = await hands.clerk.commit(made, signal);
    expect(await hands.clerk.commit(made, signal)).toBe(sha);
    expect(await hands.clerk.treeOf(sha, signal)).toBe(tree);
    await hands.clerk.materialise(base, signal);
    await hands.clerk.materialise(sha, signal);
    expect((await snapshot(prepared(), tree)).changes).toEqual([]);
  });

  test("a diff is bounded, and says how long it is", async () => {
    const { hands, baseTree } = prepared();
    await write(prepared(), { "long.txt": "a line\n".repeat(2000) });
    const { tree } = await snapshot(prepared());
    const whole = await hands.clerk.diff(baseTree, tree, 100_000, signal);
    expect(whole.truncated).toBe(false);
    expect(whole.text).toContain("long.txt");
    const cut = await hands.clerk.diff(baseTree, tree, 500, signal);
    expect(cut).toMatchObject({ truncated: true, bytes: whole.bytes, largest: [{ path: "long.txt", lines: 2000 }] });
    expect(cut.text.length).toBeLessThan(800);
  });

  test("unfinished work is a patch that names its files", async () => {
    const { hands, baseTree } = prepared();
    await write(prepared(), { "begun.txt": "half\n" });
    expect(text(await hands.clerk.partialPatch(baseTree, 10_000, signal))).toContain("begun.txt");
  });

  test("an emptied worktree has none of the base's files", async () => {
    const { hands, baseTree } = prepared();
    await hands.clerk.empty(signal);
    const { changes } = await snapshot(prepared());
    const paths = (await hands.clerk.list(baseTree, signal)).map(({ path }) => path);
    expect(changes.map(({ status, path }) => [status, path])).toEqual(paths.map((path) => ["deleted", path]));
  });
};
