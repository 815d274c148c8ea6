import { expect, test } from "vitest";
import { DependencyChanges, notesOn } from "../../runner/environment/dependency-changes.js";
import { dependencyFiles, type TreeFiles } from "../../runner/environment/dependency-files.js";
import { blobsOf, FilesInForce, withHeld } from "../../runner/environment/files-in-force.js";
import { names } from "../../runner/environment/named-by.js";
import type { Change } from "../../runner/hands/ports/clerk.js";

type Texts = Readonly<Record<string, string>>;

const bytesOf = (texts: Texts) => new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));
const blobs = (texts: Texts) => blobsOf({ files: bytesOf(texts) });

function tree(texts: Texts): TreeFiles {
  return { blobs: async () => blobs(texts), read: async (path) => bytesOf(texts).get(path) ?? null };
}

function changed(before: Texts, after: Texts): readonly Change[] {
  const [old, now] = [blobs(before), blobs(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => old.get(path) !== now.get(path))
    .map((path) => ({
      ...{ path, mode: "100644", oid: now.get(path) ?? "", oldOid: old.get(path) ?? "" },
      status: now.has(path) ? (old.has(path) ? "modified" : "added") : "deleted",
    }));
}

/**
 * Finds the files from which the environment of a task's tree is made: by our rule, and by a naive one that compares
 * with the last tree only.
 */
async function madeFrom(inForce: Texts, last: Texts, now: Texts, task: string) {
  const force = new FilesInForce(async () => await dependencyFiles(tree(inForce), null), null);
  const listed = (name: string) => Promise.resolve(blobs(name === "last" ? last : now));
  const changes = await new DependencyChanges(force, listed, null).in({
    ...{ tree: "now", last: "last" },
    changes: changed(last, now),
  });
  const unnamed = (path: string) => !names(task, path);
  const held = new Set(changes.map(({ path }) => path).filter(unnamed));
  const heldOfLast = new Set(
    changed(last, now)
      .map(({ path }) => path)
      .filter(unnamed),
  );
  const textsOf = async (files: TreeFiles) =>
    Object.fromEntries([...(await dependencyFiles(files, null)).files].map(([path, bytes]) => [path, `${bytes}`]));
  return {
    ours: await textsOf(withHeld(tree(now), force, (path) => held.has(path))),
    naive: await textsOf(withHeld(tree(now), tree(last), (path) => heldOfLast.has(path))),
    notes: notesOn(changes, (path) => !unnamed(path)),
  };
}

const base = { "requirements.txt": "greet==1\n", "requirements-dev.txt": "other==1\n" };
const laundered = { ...base, "requirements.txt": "greet==2\nevil\n" };

test("a file that an earlier task changed without naming it stays without effect when a later one names another", async () => {
  const now = { ...laundered, "requirements-dev.txt": "other==2\n" };
  const { ours, naive, notes } = await madeFrom(base, laundered, now, "requirements-dev.txt asks for other 2");
  expect(naive["requirements.txt"]).toBe("greet==2\nevil\n");
  expect(ours).toEqual({ "requirements.txt": "greet==1\n", "requirements-dev.txt": "other==2\n" });
  expect(notes).toEqual([]);
});

test("a file that was added without being named stays out, and one that was so removed stays in", async () => {
  const last = { "requirements-dev.txt": "other==1\n", "uv.lock": "evil\n" };
  const now = { ...last, "requirements-dev.txt": "other==2\n" };
  const { ours, naive } = await madeFrom(base, last, now, "requirements-dev.txt asks for other 2");
  expect(Object.keys(naive).sort()).toEqual(["requirements-dev.txt", "uv.lock"]);
  expect(ours).toEqual({ "requirements.txt": "greet==1\n", "requirements-dev.txt": "other==2\n" });
});

test("a file that a named one included is in force itself, and no later task changes it without naming it", async () => {
  const inForce = { "requirements.txt": "-r more/needs.in\n", "more/needs.in": "greet==1\n" };
  const last = { ...inForce, "more/needs.in": "evil\n" };
  const now = { ...last, "requirements.txt": "-r more/needs.in\nother\n" };
  const { ours, naive } = await madeFrom(inForce, last, now, "requirements.txt asks for other too");
  expect(naive["more/needs.in"]).toBe("evil\n");
  expect(ours).toEqual({ "requirements.txt": "-r more/needs.in\nother\n", "more/needs.in": "greet==1\n" });
});

test("a task that names a file gets it as in its tree, even what was changed before, and that is noted", async () => {
  const { ours, notes } = await madeFrom(base, laundered, laundered, "requirements.txt asks for greet 2");
  expect(ours).toEqual(laundered);
  expect(notes).toEqual([
    expect.stringMatching(/^requirements\.txt was changed before by a task that did not name it/),
  ]);
});

test("a file brought back to what is in force is no change, and an unnamed change is noted once", async () => {
  const back = await madeFrom(base, laundered, base, "make a file");
  expect([back.ours, back.notes]).toEqual([base, []]);
  const first = await madeFrom(base, base, laundered, "make a file");
  expect([first.ours, first.notes]).toEqual([
    base,
    ["requirements.txt changes, and the task does not name it: the check runs in the environment in force"],
  ]);
  const later = await madeFrom(base, laundered, laundered, "make a file");
  expect([later.ours, later.notes]).toEqual([base, []]);
});

test("the tree of the last accepted task is listed once, and those that follow from it are not listed", async () => {
  const force = new FilesInForce(async () => await dependencyFiles(tree(base), null), null);
  const asked: string[] = [];
  const list = async (name: string) => {
    asked.push(name);
    return blobs(base);
  };
  const watch = new DependencyChanges(force, list, null);
  await watch.in({ tree: "one", last: "base", changes: changed(base, laundered) });
  const second = await watch.in({ tree: "two", last: "one", changes: [] });
  expect([asked, second.map(({ path }) => path)]).toEqual([["base"], ["requirements.txt"]]);
});
