import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hostPath } from "../../runner/base/ids.js";
import { recordId } from "../../runner/environment/environment-key.js";
import { type EnvironmentRecord, EnvironmentStore } from "../../runner/environment/environment-store.js";
import { PastEnvironments } from "../../runner/environment/past-environments.js";
import type { Payload, TilthEvent } from "../../runner/session/log/events.js";
import { EnvironmentLocks } from "../../runner/session/state/environment-locks.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tilth-environments-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const image = { recipe: "r", platform: "p" };
const id = recordId("k", image, null);
const record: EnvironmentRecord = {
  v: 1,
  key: "k",
  built: { id: "tilth-env-k", digest: "d" },
  lock: "requests==2 --hash=sha256:0\n",
  packages: [["requests", "2"]],
  taken: ["requirements.txt"],
  said: [],
  python: "3.11.2",
  pytest: "9.0.0",
  created_at: "2025-01-01T00:00:00.000Z",
};

test("what is known of an environment is kept under its id, and a damaged record counts as unknown", () => {
  const store = new EnvironmentStore(folder);
  expect([store.load(id), store.all().size]).toEqual([null, 0]);
  store.save(id, record);
  expect(store.load(id)).toEqual(record);
  expect([...store.all()]).toEqual([[id, record]]);
  const path = join(folder, "environments", `${id}.json`);
  for (const damaged of ["", "{", "null", JSON.stringify({ ...record, v: 2 })]) {
    writeFileSync(path, damaged);
    expect([store.load(id), store.all().size]).toEqual([null, 0]);
  }
  store.remove(id);
  store.remove(id);
  expect(readdirSync(join(folder, "environments"))).toEqual([]);
});

test("a record's file has the same form as every earlier tilth wrote", () => {
  const store = new EnvironmentStore(folder);
  const path = join(folder, "environments", `${id}.json`);
  store.save(id, record);
  const written = { ...record, built: { volume: "tilth-env-k", digest: "d" } };
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(written);
  writeFileSync(path, JSON.stringify({ ...written, built: null }));
  expect(store.load(id)?.built).toBeNull();
});

test("a folder in the place of a record, and a file of another name, are ignored", () => {
  const store = new EnvironmentStore(folder);
  store.save(id, record);
  mkdirSync(join(folder, "environments", `${"0".repeat(64)}.json`));
  writeFileSync(join(folder, "environments", "notes.json"), "{}");
  expect([...store.all().keys()]).toEqual([id]);
});

test("an environment made from a lock differs from one made by a resolver, and each image has its own", () => {
  const ids = [
    recordId("k", image, null),
    recordId("k", image, "lock"),
    recordId("k", { ...image, recipe: "s" }, null),
  ];
  expect(new Set(ids).size).toBe(3);
});

test("a session keeps each of its locks, and the one in force under a separate name", () => {
  const paths = { environments: hostPath(join(folder, "locks")), environmentLock: hostPath(join(folder, "a.lock")) };
  const locks = new EnvironmentLocks(paths);
  const [first, second] = ["1".repeat(64), "2".repeat(64)];
  expect([locks.keys(), locks.load(first)]).toEqual([[], null]);
  locks.save(first, "a==1\n");
  locks.save(second, "a==2\n");
  locks.putInForce(second);
  expect([...locks.keys()].sort()).toEqual([first, second]);
  expect([locks.load(first), readFileSync(paths.environmentLock, "utf8")]).toEqual(["a==1\n", "a==2\n"]);
  expect(() => locks.putInForce("3".repeat(64))).toThrow(
    `${"3".repeat(64)}.lock is gone, and without it the environment cannot be made again`,
  );
  expect(readFileSync(paths.environmentLock, "utf8")).toBe("a==2\n");
  locks.putInForce(null);
  expect(existsSync(paths.environmentLock)).toBe(false);
});

const tree = (digit: string) => digit.repeat(40);
const said = (change: Partial<Payload<"environment">>) =>
  ({
    type: "environment",
    payload: { key: "base", tree: null, dependencies: null, from_source: ["a"], version: null, ...change },
  }) as TilthEvent;
const committed = (digit: string, task_id = "T-001") =>
  ({ type: "commit", payload: { tree: tree(digit), task_id } }) as TilthEvent;

test("the environment in force is the base's until a tree with another one becomes a commit", () => {
  const past = new PastEnvironments();
  expect([past.inForce, past.choice]).toEqual([null, null]);
  past.add(said({}));
  past.add(said({ key: "rejected", tree: tree("a"), task_id: "T-001" }));
  past.add(committed("b"));
  expect(past.inForce).toEqual({ key: "base", tree: null, files: null });
  past.add(said({ key: "accepted", tree: tree("c"), task_id: "T-001", from_source: [] }));
  past.add(committed("c"));
  past.add(committed("d"));
  expect(past.inForce).toEqual({ key: "accepted", tree: tree("c"), files: null });
  expect(past.of({ tree: tree("a"), task_id: "T-001" })).toEqual({ key: "rejected", tree: tree("a"), files: null });
  expect(past.choice).toEqual({ dependencies: null, fromSource: ["a"], version: null });
});

test("the same tree made by another task does not bring into force what only the first was allowed to change", () => {
  const past = new PastEnvironments();
  past.add(said({}));
  past.add(said({ key: "tried", tree: tree("a"), task_id: "T-001" }));
  past.add(committed("a", "T-002"));
  expect(past.inForce).toEqual({ key: "base", tree: null, files: null });
  past.add(committed("a", "T-001"));
  expect(past.inForce).toEqual({ key: "tried", tree: tree("a"), files: null });
});

test("an environment is found by the blobs it was made from, and a log without them says nothing of it", () => {
  const past = new PastEnvironments();
  const [a, b] = [tree("a"), tree("b")];
  past.add(said({ key: "first", files: [["requirements.txt", a]] }));
  past.add(said({ key: null, tree: tree("c"), task_id: "T-001", files: [["setup.cfg", b]] }));
  past.add(said({ key: "old", tree: tree("d"), task_id: "T-002" }));
  const keyOf = (files: readonly (readonly [string, string])[]) => past.keyOf(new Map(files));
  expect(past.inForce?.files).toEqual(new Map([["requirements.txt", a]]));
  expect([keyOf([["requirements.txt", a]]), keyOf([["requirements.txt", b]])]).toEqual(["first", null]);
  expect([keyOf([["setup.cfg", b]]), keyOf([])]).toEqual([null, null]);
});
