import { afterAll, beforeAll, expect, test } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import { type CommitId, commitId } from "../../runner/base/ids.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { git, gitLine } from "../helpers/fake-git.js";
import { commitFiles, makeSource, packOf } from "../helpers/sources.js";

const { signal } = new AbortController();
const who = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
let world: DockerWorld;
let source: string;
let base: CommitId;

beforeAll(async () => {
  world = await DockerWorld.open();
  source = `${world.settings.home}/source`;
  await makeSource(source, { "old.txt": "before the base\n" });
  base = await commitFiles(source, { "a.txt": "a\n" });
  await world.hands.clerk.open(base, signal);
});

afterAll(() => world?.[Symbol.asyncDispose]());

const inSource = (args: readonly string[], input = "") => gitLine(args, { cwd: source, input, env: who });

async function commitOf(tree: string): Promise<CommitId> {
  return commitId(await inSource(["commit-tree", tree, "-m", "x"]));
}

const object = (kind: string, content: Buffer) =>
  gitLine(["hash-object", "-t", kind, "-w", "--literally", "--stdin"], { cwd: source, input: content });

function oldTree(entries: readonly (readonly [mode: string, name: string, oid: string])[]): Promise<string> {
  const parts = entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
  return object("tree", Buffer.concat(parts));
}

function carelessCommit(tree: string): string {
  const who = "A<a@b> 1200000000 +051800";
  return `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nold\n`;
}

async function* packed(...revs: string[]) {
  yield await git(["pack-objects", "--revs", "--stdout", "-q"], { cwd: source, input: `${revs.join("\n")}\n` });
}

async function refusal(tip: CommitId): Promise<string> {
  const taking = world.hands.clerk.takePack(packOf(source, tip), tip, signal);
  const error = await taking.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TilthError);
  expect((error as TilthError).code).toBe("usage");
  return (error as TilthError).message;
}

test("a few hundred bytes that name a thousand million files are refused before one is written", async () => {
  const blob = await inSource(["hash-object", "-w", "--stdin"], "x");
  let tree = await inSource(["mktree"], `100644 blob ${blob}\tf\n`);
  for (let level = 0; level < 9; level++) {
    const entries = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\td${index}\n`);
    tree = await inSource(["mktree"], entries.join(""));
  }
  expect(await refusal(await commitOf(tree))).toContain("more than 500000 files and folders");
});

test("a tree that git's strict check refuses is not taken in", async () => {
  const blob = await inSource(["hash-object", "-w", "--stdin"], "x");
  const inner = await inSource(["mktree"], `100644 blob ${blob}\tconfig\n`);
  const evil = await commitOf(await inSource(["mktree"], `040000 tree ${inner}\t.git\n`));
  expect(await refusal(evil)).toContain("hasDotgit");
  expect(await world.hands.clerk.open(evil, signal)).toBe(false);
});

test("a refusal names its path, and an old tree that git only warns of is taken in", async () => {
  const evil = await inSource(["hash-object", "-w", "--stdin"], '[submodule "x"]\n\tpath = x\n\turl = -evil\n');
  const folder = await inSource(["mktree"], `100644 blob ${evil}\t.gitmodules\n`);
  const nested = await commitOf(await inSource(["mktree"], `040000 tree ${folder}\tvendor\n`));
  expect(await refusal(nested)).toMatch(/gitmodulesUrl.* in 'vendor\/\.gitmodules'/);
  const blob = await inSource(["hash-object", "-w", "--stdin"], "x\n");
  const inner = await oldTree([["100664", "f", blob]]);
  const entries = [
    ["100664", "a", blob],
    ["040000", "d", inner],
  ] as const;
  const tip = commitId(await object("commit", Buffer.from(carelessCommit(await oldTree(entries)))));
  const { clerk, work } = world.hands;
  const naive = git(["index-pack", "--strict=badFilemode=error", "--stdin"], {
    cwd: `${source}/.git`,
    input: await git(["pack-objects", "--revs", "--stdout", "-q"], { cwd: source, input: `${tip}\n` }),
  });
  await expect(naive).rejects.toThrow(/badFilemode|zeroPaddedFilemode|missingSpaceBeforeEmail/);
  await clerk.takePack(packOf(source, tip), tip, signal);
  await clerk.materialise(tip, signal);
  const last = await clerk.treeOf(tip, signal);
  expect(await clerk.snapshot(last, signal)).toMatchObject({ ok: true, tree: last, changes: [] });
  await work.start(signal);
  await work.bash("echo 1 > new", 20_000, signal);
  const made = await clerk.snapshot(last, signal);
  expect(made).toMatchObject({ ok: true, changes: [{ path: "new" }] });
});

test("a base comes alone, and a branch comes with its commits since the base", async () => {
  const { clerk, work } = world.hands;
  await clerk.takePack(packOf(source, base), base, signal);
  expect(await clerk.open(base, signal)).toBe(true);
  const one = await commitFiles(source, { "one.txt": "1\n" });
  const two = await commitFiles(source, { "two.txt": "2\n" });
  expect(await clerk.open(two, signal)).toBe(false);
  await clerk.takePack(packed(two, `^${base}~1`), two, signal);
  expect(await clerk.open(two, signal)).toBe(true);
  await clerk.materialise(two, signal);
  await work.start(signal);
  await work.beginTask(two, signal);
  const { head } = await work.bash("git log --format=%H; git status --porcelain; git stash list", 20_000, signal);
  expect(Buffer.from(head).toString("utf8")).toBe(`${two}\n${one}\n${base}\n`);
});

test("a submodule of the base keeps its entry", async () => {
  const { clerk } = world.hands;
  await git(["update-index", "--add", "--cacheinfo", `160000,${base},lib/sub`], { cwd: source });
  const tree = await inSource(["write-tree"]);
  const tip = await commitOf(tree);
  await clerk.takePack(packOf(source, tip), tip, signal);
  await clerk.materialise(tip, signal);
  const last = await clerk.treeOf(tip, signal);
  expect(await clerk.snapshot(last, signal)).toMatchObject({ ok: true, tree: last });
  await world.hands.work.start(signal);
  await world.hands.work.bash("git init -q lib/sub", 20_000, signal);
  expect(await clerk.snapshot(last, signal)).toMatchObject({ ok: false, problems: [{ path: "lib/sub" }] });
});
