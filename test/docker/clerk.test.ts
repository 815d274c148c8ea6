import { chownSync, statSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CommitId, TreeId } from "../../runner/base/ids.js";
import type { Snapshot } from "../../runner/hands/ports/clerk.js";
import { containerIdentity } from "../../runner/hands/ports/identity.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { makeSource, packOf } from "../helpers/sources.js";
import { letContainersWrite } from "../helpers/worktree-folder.js";

const { signal } = new AbortController();
let world: DockerWorld;
let base: CommitId;
let last: TreeId;

beforeAll(async () => {
  world = await DockerWorld.open({}, { lastLookSeconds: 3 });
  const source = `${world.settings.home}/source`;
  const fixture = { "fix/HEAD": "ref: x\n", "fix/config": "\n", "fix/objects/x": "\n", "fix/refs/x": "\n" };
  const files = { "src/app.py": "X = 1\n", "data/blob.bin": Buffer.from([0, 1, 2, 3]), ...fixture };
  base = await makeSource(source, files);
  const { clerk, work } = world.hands;
  await clerk.open(base, signal);
  await clerk.takePack(packOf(source, base), base, signal);
  last = await clerk.treeOf(base, signal);
  await work.start(signal);
});

afterAll(() => world?.[Symbol.asyncDispose]());

beforeEach(async () => {
  await world.hands.clerk.materialise(base, signal);
  await world.hands.work.beginTask(base, signal);
});

async function bash(command: string): Promise<string> {
  const { head, tail, exit } = await world.hands.work.bash(command, 60_000, signal);
  const said = Buffer.concat([head, tail]).toString("utf8");
  expect(exit, said).toBe(0);
  return said;
}

const snapshot = () => world.hands.clerk.snapshot(last, signal);
const problems = (made: Snapshot) => (made.ok ? [] : made.problems.map(({ path, why }) => `${path} ${why}`));

async function taken(): Promise<Extract<Snapshot, { ok: true }>> {
  const made = await snapshot();
  if (!made.ok) throw new Error(problems(made).join("; "));
  return made;
}

/** A git with all the usual flags, as it would act on the worktree in the worker's container. */
const naiveAdd =
  "git init -q --bare /tmp/naive.git; export GIT_DIR=/tmp/naive.git GIT_WORK_TREE=/workspace; git -c core.bare=false -c core.hooksPath=/dev/null -c core.fsmonitor=false add -A";

const nestedWithFilter = `
  git init -q sub; cd sub; echo x > f; git add f; git commit -qm x; echo y > f; echo '* filter=x' > .gitattributes
  git config filter.x.clean 'touch /tmp/marker; cat'`;

test("a nested repository runs a command under a careful git, and the clerk refuses it unread", async () => {
  await bash(nestedWithFilter);
  // the first submit makes it a gitlink, the second asks for its state
  await bash(`(${naiveAdd} 2>/dev/null); (${naiveAdd}); rm /tmp/marker`);
  expect(problems(await snapshot())).toEqual([expect.stringMatching(/^sub is a nested git repository/)]);
  expect(await bash("ls /tmp/marker 2>/dev/null || echo none")).toBe("none\n");
});

test("an unreadable folder, which git drops in silence, is refused by its name", async () => {
  await bash("mkdir locked; echo x > locked/x; chmod 000 locked");
  expect(await bash(`${naiveAdd} 2>/dev/null; git ls-files`)).not.toContain("locked");
  expect(problems(await snapshot())).toEqual(["locked is a folder that cannot be read"]);
});

test("a worktree whose root was locked is opened again", async () => {
  await bash("echo 2 > new.txt; chmod 000 . || true");
  expect((await taken()).changes.map(({ path }) => path)).toEqual(["new.txt"]);
});

test.each([
  ["a FIFO named .gitignore", "mkfifo .gitignore", ".gitignore"],
  ["a FIFO named .gitattributes", "mkdir -p s; mkfifo s/.gitattributes", "s/.gitattributes"],
  [
    "a FIFO beside files as young as the index",
    "mkfifo src/.gitattributes; touch -d 2099-01-01 src/*",
    "src/.gitattributes",
  ],
  ["a HEAD that is a FIFO", "mkdir -p s/.git/objects s/.git/refs; mkfifo s/.git/HEAD", "s/.git/HEAD"],
  ["a commondir without end", "git init -q s; ln -s /dev/zero s/.git/commondir", "s/.git/commondir"],
  ["a .gitignore of nine gigabytes", "truncate -s 9G .gitignore", ".gitignore"],
])("%s would hold git up, and is refused before git looks at it", async (_, attack, path) => {
  const naive = "export GIT_DIR=/tmp/naive.git GIT_WORK_TREE=/workspace; git init -q --bare /tmp/naive.git";
  await bash(`mkdir -p s; echo x > s/x; ${attack}`);
  await bash(`${naive}; ! timeout 2 git -c core.bare=false add -A`);
  expect(problems(await snapshot())).toEqual([
    `${path} is what git reads by itself, and must be a plain file of at most 256 KB`,
  ]);
});

test("hazards in ignored folders are no obstacle", async () => {
  await bash(
    "mkdir -p .venv/src && git init -q .venv/src/x; mkfifo .venv/pipe; mkdir .venv/locked; chmod 000 .venv/locked",
  );
  expect((await taken()).tree).toBe(last);
});

test("a tree depends on the worktree alone, not on what was submitted before", async () => {
  await bash("echo 1 > a.log");
  const first = await taken();
  await bash("echo '*.log' > .gitignore");
  const second = await taken();
  expect(first.changes.map(({ path }) => path)).toEqual(["a.log"]);
  expect(second.changes.map(({ path }) => path)).toEqual([".gitignore"]);
  expect(second.leftOut).toEqual(["a.log"]);
});

test("an accepted link cannot be turned outward by changing another one", async () => {
  await bash("mkdir -p a/b; ln -s a/b d; ln -s d/../../src l");
  const first = await taken();
  await bash("rm d; mkdir d; echo x > d/x");
  const second = await world.hands.clerk.snapshot(first.tree, signal);
  expect(problems(second)).toEqual(["l is a link that leads out"]);
});

test.each([
  ["more bytes than a change may have", "truncate -s 300M big", /^\. has 314572800 bytes/],
  ["more files than a change may have", "mkdir m; cd m; seq 20001 | xargs touch", /^\. has 20001 new/],
  ["folders without end", `mkdir -p ${"d/".repeat(150)}`, /^(?:d\/)+d lies more than 100 folders deep$/],
  ["a name that Windows takes for .git", "mkdir git~1; echo x > git~1/config", /^git~1\/config has a name/],
  ["a .gitmodules that is a link", "ln -s src/app.py .gitmodules", /^\. holds what git does not take: .*\.gitmodules$/],
])("the refusal of %s is one sentence", async (_, attack, sentence) => {
  await bash(attack);
  expect(problems(await snapshot())).toEqual([expect.stringMatching(sentence)]);
});

test("attributes hide nothing from a diff, and a binary file is one line with size and hash", async () => {
  await bash("echo '*.py -diff' > .gitattributes; echo 'Y = 2' >> src/app.py; printf '\\0\\1' > data/blob.bin");
  const { text } = await world.hands.clerk.diff(last, (await taken()).tree, 60_000, signal);
  expect(text).toContain("+Y = 2\n");
  expect(text).toMatch(/^Binary file: 4 bytes \(blob [0-9a-f]{40}\) became 2 bytes \(blob [0-9a-f]{40}\)$/m);
});

test("unfinished work becomes a patch that begins with what could not be read", async () => {
  await bash("echo 'Y = 2' >> src/app.py; mkfifo pipe; git init -q sub; echo x > sub/x");
  const patch = Buffer.from(await world.hands.clerk.partialPatch(last, 10_000, signal)).toString("utf8");
  expect(patch.split("\n").slice(0, 2).sort()).toEqual([
    "# left out: pipe is a FIFO, not a file",
    expect.stringMatching(/^# left out: sub is a nested git repository/),
  ]);
  expect(patch).toContain("+Y = 2\n");
  expect(patch).not.toContain("b/sub/x");
});

test.each([
  ["holds git up", "mkdir -p ö/x; mkfifo ö/x/.gitignore; echo x > ö/y", "# left out: ö/x/.gitignore is what git reads"],
  ["lies too deep", `mkdir -p ${"d/".repeat(150)}; echo x > d/y`, "# left out: d/d/d"],
])("unfinished work becomes a patch even beside a folder that %s", async (_, attack, remark) => {
  await bash(`echo 'Y = 2' >> src/app.py; ${attack}`);
  const patch = Buffer.from(await world.hands.clerk.partialPatch(last, 10_000, signal)).toString("utf8");
  expect(patch).toMatch(new RegExp(`^${remark}`));
  expect(patch).toContain("+Y = 2\n");
  expect(patch).not.toContain("/y\n");
});

test("a stopped session leaves nothing that acts by itself", async () => {
  await bash(
    "echo x > s; chmod 6755 s; git init -q .venv/x; git init -q y; mkdir lone; echo 'gitdir: ../y/.git' > lone/.git",
  );
  await bash("mkdir h; chmod 000 h; mkdir -p .github/workflows; echo on: > .github/workflows/ci.yml; echo x > .envrc");
  const left = await world.hands.clerk.defuse(last, signal);
  expect([...left.renamed].sort()).toEqual([
    ".venv/x/.git/config",
    ".venv/x/.git/hooks",
    "lone/.git",
    "y/.git/config",
    "y/.git/hooks",
  ]);
  expect(left.executes).toEqual([".envrc", ".github/workflows/ci.yml"]);
  expect(await bash("stat -c %a s h; git -C y status 2>&1 | head -1 || true")).toContain("755\n700\n");
});

test.each([
  ["names that are taken", "git init -q s; touch s/.git/config.tilth-disabled s/.git/hooks.tilth-disabled"],
  [
    "a path longer than any call takes",
    `git init -q s; (${deep(40, "mkdir .git .git/objects .git/refs; touch .git/config")})`,
  ],
  [
    "a path that grows too long by the renaming",
    `git init -q s; (${deep(20, "mkdir .git .git/objects .git/refs; touch .git/config")})`,
  ],
  ["a .gitignore that git would choke on", "git init -q s; truncate -s 9G .gitignore"],
  [
    "rules that take git for ever",
    `git init -q s; mkdir -p ${"a/".repeat(80)}; touch ${"a/".repeat(80)}x; echo '${"**/a/".repeat(14)}b' > .gitignore`,
  ],
])("a worktree is made harmless in spite of %s", async (_, attack) => {
  await bash(attack);
  await world.hands.clerk.defuse(last, signal);
  await bash("mkdir s/.git/hooks");
  await world.hands.clerk.defuse(last, signal);
  expect(await bash("find . -path ./.git -prune -o -path '*/.git/*' \\( -name config -o -name hooks \\) -print")).toBe(
    "",
  );
});

/** Makes folders inside folders, entered one by one. */
function deep(count: number, there: string): string {
  const name = "d".repeat(200);
  return `for i in $(seq ${count}); do mkdir ${name}; cd ${name}; done; ${there}`;
}

test("a repository-like folder of the last accepted tree is left as it is, and renamed once it is changed", async () => {
  expect((await world.hands.clerk.defuse(last, signal)).renamed).toEqual([]);
  await bash("echo '[core]' >> fix/config");
  expect((await world.hands.clerk.defuse(last, signal)).renamed).toEqual(["fix/config"]);
});

test("a worktree root that belongs to the worker loses its special mode bits too", async () => {
  const { uid, gid } = containerIdentity();
  chownSync(world.worktree, uid, gid);
  try {
    await bash("chmod 7775 .");
    await world.hands.clerk.defuse(last, signal);
    expect(statSync(world.worktree).mode & 0o7777).toBe(0o775);
  } finally {
    letContainersWrite(world.worktree);
  }
});

test("locks and remains of a killed git are gone when the clerk opens again", async () => {
  const filters = { label: [`tilth.session=${world.session}`, "tilth.role=clerk"] };
  const [clerk] = await world.engine.docker.listContainers({ filters });
  const half = "/repo/objects/tmp_objdir-bulk-fsync-x/ab";
  const leave = `touch /repo/index.lock /repo/shallow.lock /repo/objects/tmp_obj_x; mkdir -p ${half}; touch ${half}/c`;
  const exec = await world.engine.docker
    .getContainer(clerk?.Id ?? "")
    .exec({ Cmd: ["sh", "-c", leave], AttachStdout: true });
  const ended = await exec.start({});
  await new Promise((resolve) => ended.on("end", resolve).resume());
  await bash("echo 3 > three.txt");
  await expect(snapshot()).rejects.toMatchObject({ code: "infra" });
  expect(await world.hands.clerk.open(base, signal)).toBe(true);
  expect((await taken()).changes).toHaveLength(1);
});
