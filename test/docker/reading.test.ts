import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainerCreateOptions, MountSettings } from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { Interrupted } from "../../runner/base/errors.js";
import { asSessionId, type SessionId } from "../../runner/base/ids.js";
import { openReading } from "../../runner/hands/docker/docker-reading.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import type { Answer, FileRead } from "../../runner/hands/ports/reading.js";
import { GuardedReading } from "../../runner/interview/guarded-reading.js";
import { looksLikeSecretFile, secretFiles } from "../../runner/interview/secrets.js";
import type { Settings } from "../../runner/settings/settings.js";
import type { Source } from "../../runner/source/preflight/preflight.js";
import { GitRepo } from "../helpers/git-repo.js";
import { realImage } from "../helpers/image.js";
import { python, ResidentContainer } from "../helpers/resident-container.js";
import { snapshotOf } from "../helpers/session-disk.js";

const { signal } = new AbortController();
const nothing = { like: "(?!)", shown: [] };
let engine: Engine;
let settings: Settings;
let home: string;
let repo: GitRepo;
let source: Source;
let session: SessionId;
let image: Awaited<ReturnType<typeof realImage>>;
let before: { files: Map<string, string>; status: string };
let listening: Server;
let reading: ReturnType<typeof openReading>;

const inSource = (path: string) => join(repo.path, path);
const status = () => repo.git("status", "--porcelain", "--ignored", "-uall");

function makeHostile(): void {
  repo = GitRepo.withCommit({
    "shop/prices.py": "PRICE = 1\n",
    "tests/test_prices.py": "def test_price():\n    assert True\n",
    "sub/module.py": "X = 1\n",
  });
  // a file beside the source
  mkdirSync(join(repo.root, "private"));
  writeFileSync(join(repo.root, "private/key"), "canary of the host\n");
  writeFileSync(join(repo.root, "sibling.txt"), "canary of the host\n");
  // work that was not committed
  repo.files({ "shop/prices.py": "PRICE = 2\n", "shop/new.py": "NEW = True\n" });
  symlinkSync(join(repo.root, "private/key"), inSource("absolute"));
  symlinkSync("../private/key", inSource("relative"));
  symlinkSync("relative", inSource("chained"));
  symlinkSync("../private", inSource("folder"));
  symlinkSync("/etc/passwd", inSource("passwd"));
  symlinkSync("/proc/self/environ", inSource("environ"));
  symlinkSync("loop", inSource("loop"));
  symlinkSync(".git/config", inSource("git-link"));
  symlinkSync(".git", inSource("git-folder"));
  symlinkSync("shop/prices.py", inSource("inside"));
  execFileSync("mkfifo", [inSource("fifo")]);
  // a socket is no more a file than a device is, and making one needs no root
  listening = createServer().listen(inSource("socket"));
  if (process.getuid?.() === 0) execFileSync("mknod", [inSource("device"), "c", "1", "5"]);
  writeFileSync(inSource("huge.bin"), "");
  truncateSync(inSource("huge.bin"), 2 * 1024 ** 3);
  writeFileSync(inSource("huge.txt"), `${"a".repeat(1024 * 1024)}b\n`);
  writeFileSync(inSource("locked"), "only for its owner\n");
  chmodSync(inSource("locked"), 0o000);
  for (const name of ["new\nline", "bell\x07", "\x1b[2Jclear", "a:1: b", "\u202eevil"])
    writeFileSync(inSource(name), "odd name\n");
  writeFileSync(Buffer.concat([Buffer.from(`${inSource("caf")}`), Buffer.from([0xe9])]), "odd name\n");
  const git = { cwd: repo.path, env: repo.env() };
  // a nested repository, and one whose .git is a file, as in a submodule
  execFileSync("git", ["init", "-q", "nested"], git);
  execFileSync("git", ["-C", "nested", "config", "remote.origin.url", "https://ada:canary@example.org/x"], git);
  mkdirSync(inSource("submodule"));
  writeFileSync(inSource("submodule/.git"), "gitdir: ../nested/.git\n");
  mkdirSync(inSource(".GIT"));
  writeFileSync(inSource(".GIT/config"), "canary\n");
  writeFileSync(inSource(".env"), "TOKEN=canary\n");
  mkdirSync(inSource("a:1: b.d"));
  writeFileSync(inSource("a:1: b.d/.env"), "TOKEN=canary\n");
  mkdirSync(inSource("z"));
  writeFileSync(inSource("z/.env"), "canary\n");
  symlinkSync(".env", inSource("notes"));
  mkdirSync(inSource(".aws"));
  writeFileSync(inSource(".aws/config"), "TOKEN=canary\n");
  symlinkSync(".aws", inSource("cloud"));
  symlinkSync("shop/prices.py", inSource("prod.env"));
  let deep = "deep";
  for (let level = 0; level < 300; level += 1) deep += "/d";
  mkdirSync(inSource(deep), { recursive: true });
  writeFileSync(inSource(`${deep}/leaf.py`), "LEAF = 'deep down'\n");
  writeFileSync(inSource(`${deep}/.env`), "LEAF=canary\n");
}

function open() {
  return openReading({ engine, settings, session, image, source });
}

beforeAll(async () => {
  const base = loadSettings();
  home = mkdtempSync(join(tmpdir(), "tilth-home-"));
  settings = { ...base, home };
  engine = await Engine.connect(settings, signal);
  image = await realImage(engine);
  const id = asSessionId(`20250101-000000-${randomBytes(3).toString("hex")}`);
  if (!id) throw new Error("not a session id");
  session = id;
  makeHostile();
  source = await repo.preflight();
  rmSync(inSource("huge.bin")); // hashing it twice would be the one slow thing here
  const seen = status(); // git may write its index anew for this
  before = { files: snapshotOf(repo.path), status: seen };
  truncateSync(makeFile("huge.bin"), 2 * 1024 ** 3);
  reading = open();
});

afterAll(async () => {
  await reading?.[Symbol.asyncDispose]();
  listening?.close();
  repo?.[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

function makeFile(path: string): string {
  writeFileSync(inSource(path), "");
  return inSource(path);
}

async function read(path: string, more: { offset?: number; limit?: number } = {}): Promise<Answer<FileRead>> {
  return (await reading.readFile({ path, maxBytes: 50_000, ...more }, nothing, signal)).answer;
}

async function text(path: string): Promise<string> {
  const file = await read(path);
  return file.ok ? Buffer.from(file.content).toString("utf8") : `refused: ${file.problem}`;
}

async function problem(path: string): Promise<string> {
  const file = await read(path);
  return file.ok ? `read: ${Buffer.from(file.content).toString("utf8")}` : file.problem;
}

async function grep(pattern: string, pathGlob: string | null = null, from = reading) {
  return (await from.grep({ pattern, pathGlob, limit: 200 }, nothing, signal)).answer;
}

async function glob(pattern: string) {
  const { answer } = await reading.glob({ pattern, limit: 1000 }, nothing, signal);
  return answer.ok ? answer.paths : [answer.problem];
}

async function containers(): Promise<string[]> {
  const label = [`tilth.session=${session}`, "tilth.role=read"];
  return (await engine.docker.listContainers({ all: true, filters: { label } })).map(({ Id }) => Id);
}

test("the container starts at its first use, and proves its isolation", async () => {
  expect(await containers()).toEqual([]);
  const receipt = await reading.start(signal);
  expect(receipt.items.filter(({ passed }) => !passed)).toEqual([]);
  expect(receipt.passed).toBe(true);
  expect(await containers()).toHaveLength(1);
});

test("uncommitted work is visible", async () => {
  expect(repo.git("show", "HEAD:shop/prices.py")).toBe("PRICE = 1\n");
  expect(await text("shop/prices.py")).toBe("PRICE = 2\n");
  expect(await text("/workspace/shop/new.py")).toBe("NEW = True\n");
  expect(await text("inside")).toBe("PRICE = 2\n");
  expect(await grep("PRICE = \\d")).toMatchObject({ lines: ["shop/prices.py:1: PRICE = 2"] });
  expect(await glob("shop/*")).toEqual(["shop/new.py", "shop/prices.py"]);
});

test.each(["absolute", "relative", "chained", "folder/key"])(
  "a link out (%s), which a host process would follow, is a tool error",
  async (path) => {
    expect(readFileSync(inSource(path), "utf8")).toBe("canary of the host\n");
    expect(await problem(path)).toMatch(/outside the workspace/);
  },
);

test.each([
  ["passwd", /outside the workspace/],
  ["environ", /outside the workspace/],
  ["../sibling.txt", /outside the workspace/],
  ["shop/../../sibling.txt", /outside the workspace/],
  ["/etc/passwd", /outside the workspace/],
  ["/proc/1/environ", /outside the workspace/],
  ["/workspace/../etc/passwd", /outside the workspace/],
  ["/workspace-evil/x", /outside the workspace/],
  ["loop", /too many links/],
  ["fifo", /not a regular file/],
  ["socket", /not a regular file/],
  ["device", process.getuid?.() === 0 ? /not a regular file/ : /no such file/],
  ["shop", /a folder/],
  ["none.py", /no such file/],
  ["a\0b", /NUL/],
  ["", /empty/],
  ["\ud800", /no file name/],
  [`${"x".repeat(300)}`, /too long/i],
])("reading %j is a tool error", async (path, why) => {
  expect(await problem(path)).toMatch(why);
});

test.each([
  ".git/config",
  "./.git/config",
  "/workspace/.git/HEAD",
  "shop/../.git/config",
  ".git",
  "git-link",
  "git-folder/config",
  ".GIT/config",
  "nested/.git/config",
  "submodule/.git",
])("reading %s, as a host process can, is a tool error, because git's own files are nobody's to read", async (path) => {
  if (!lstatSync(inSource(path.replace("/workspace/", ""))).isDirectory())
    expect(readFileSync(inSource(path.replace("/workspace/", ""))).length).toBeGreaterThan(0);
  expect(await problem(path)).toMatch(/\.git is git's own/);
});

test("a search finds nothing of git's, and nothing outside", async () => {
  const naive = execFileSync("grep", ["-rl", "canary", "nested", "folder/"], { cwd: repo.path, encoding: "utf8" });
  expect(naive).toBe("nested/.git/config\nfolder/key\n");
  expect(await grep("canary of the host")).toMatchObject({ ok: true, lines: [] });
  expect(await grep("repositoryformatversion|gitdir:|ref: refs")).toMatchObject({ ok: true, lines: [] });
  expect(await grep("ada:canary", "nested/**")).toMatchObject({ ok: true, lines: [] });
  expect((await glob("**/config")).filter((path) => path.toLowerCase().includes(".git/"))).toEqual([".GIT/config"]);
  expect(await glob("folder/*")).toEqual([]);
  for (const pattern of ["../*", "/etc/*", "/proc/**"])
    expect(await glob(pattern)).toEqual([expect.stringMatching(/outside/)]);
  expect(await grep("x", "../*")).toMatchObject({ ok: false });
});

test("a file that only another user may read is a tool error, and a search skips it", async () => {
  if (process.getuid?.() === 0) expect(readFileSync(inSource("locked"), "utf8")).toBe("only for its owner\n");
  expect(await problem("locked")).toMatch(/Permission denied/);
  expect(await grep("only for its owner")).toMatchObject({ ok: true, lines: [] });
});

test("reading a file of 2 GB takes a moment, whatever its size", async () => {
  const began = performance.now();
  expect(await read("huge.bin")).toMatchObject({ ok: true, size: 2 * 1024 ** 3, truncated: true });
  expect(await read("huge.bin", { offset: 2 })).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/too far into the file; search it with grep/),
  });
  expect(await grep("x", "huge.bin")).toMatchObject({ ok: true, lines: [] });
  expect(performance.now() - began).toBeLessThan(20_000);
});

test("an expression that backtracks, or is too large, takes only a moment", async () => {
  // V8's engine hangs on this pattern with 30 letters, and the test has a million
  expect(() =>
    execFileSync(process.execPath, ["-e", '/^(a+)+$/.test("a".repeat(40) + "b")'], { timeout: 1_000 }),
  ).toThrow(/ETIMEDOUT/);
  const began = performance.now();
  expect(await grep("^(a+)+$", "huge.txt")).toMatchObject({ ok: true, lines: [] });
  expect(await grep("(\\w{1000}){1000}")).toMatchObject({ ok: false });
  expect(await grep("(")).toMatchObject({ ok: false });
  expect(await grep("x".repeat(200_000))).toMatchObject({ ok: false });
  expect(await grep("x".repeat(2_000_000))).toMatchObject({ ok: false });
  expect(await glob(`${"{a,b}".repeat(12)}`)).toEqual([expect.stringMatching(/64/)]);
  expect(await glob(`${"**/".repeat(40)}*.nothing`)).toEqual([]);
  expect(performance.now() - began).toBeLessThan(45_000);
});

test("odd names are one printable line each, and a deep tree can be searched", async () => {
  const lines = await grep("odd name");
  expect(lines.ok && lines.lines.length).toBe(6);
  expect(lines.ok && lines.lines.join("")).not.toMatch(/\p{Cc}/u);
  expect(lines.ok && lines.lines).toContain("new\\nline:1: odd name");
  expect((await glob("*")).join("")).not.toMatch(/\p{Cc}/u);
  expect(await grep("deep down")).toMatchObject({ lines: [expect.stringMatching(/leaf\.py:1: LEAF/)] });
});

test("a file that looks like a secret is withheld under every name", async () => {
  const questions: string[] = [];
  const guarded = new GuardedReading(reading, async (question) => {
    questions.push(question);
    return false;
  });
  for (const path of [".env", "./.env", "/workspace/.env", "shop/../.env", "notes", "cloud/config", "prod.env"]) {
    expect(await text(path)).toMatch(/^(TOKEN=canary|PRICE = 2)\n$/);
    const answer = await guarded.readFile({ path, maxBytes: 100 }, signal);
    expect(answer, path).toMatchObject({ ok: false, problem: expect.stringMatching(/did not allow/) });
  }
  expect(questions).toHaveLength(3);
  expect(await guarded.readFile({ path: ".env", offset: 99, maxBytes: 9 }, signal)).toMatchObject({
    problem: expect.stringMatching(/did not allow/),
  });
  expect(await guarded.readFile({ path: "inside", maxBytes: 9 }, signal)).toMatchObject({ ok: true });
  const everything = { pathGlob: null, limit: 200 };
  expect(await grep("TOKEN=|LEAF=canary")).toMatchObject({ ok: true, lines: { length: 4 } });
  const [hit, miss] = [
    await guarded.grep({ ...everything, pattern: "TOKEN=|LEAF=canary" }, signal),
    await guarded.grep({ ...everything, pattern: "TOKEN=wrong" }, signal),
  ];
  expect(hit).toEqual(miss);
  expect(hit).toMatchObject({ ok: true, lines: [], truncated: false, remark: expect.stringMatching(/^5 files/) });
  expect(await guarded.glob({ pattern: "{.env,.aws,.aws/*,*.env,inside}", limit: 9 }, signal)).toMatchObject({
    paths: ["inside"],
    remark: expect.stringMatching(/^4 files/),
  });
});

test("a yes opens the file that the question was about", async () => {
  const guarded = new GuardedReading(reading, async () => true);
  const found = await guarded.grep({ pattern: "TOKEN", pathGlob: null, limit: 200 }, signal);
  expect(found).toEqual({
    ok: true,
    truncated: false,
    lines: [".aws/config:1: TOKEN=canary", ".env:1: TOKEN=canary", "a:1: b.d/.env:1: TOKEN=canary"],
  });
});

test.each([
  ["before", ".env"],
  ["behind", "z/.env"],
])("withheld matches that stand %s the others do not crowd them out", async (_, secret) => {
  const like = { like: "\\.env$", shown: [] };
  const request = { pattern: "canary|PRICE", pathGlob: `{${secret},shop/**}`, limit: 1 };
  expect((await reading.grep(request, nothing, signal)).answer).toMatchObject({ truncated: true });
  const { answer, withheld } = await reading.grep(request, like, signal);
  expect(answer).toMatchObject({ lines: ["shop/prices.py:1: PRICE = 2"], truncated: false });
  expect(withheld).toEqual({ paths: [secret], count: 1 });
});

test("a container that dies during a call, or between two, is made anew and the call answered", async () => {
  const [first = ""] = await containers();
  const asked = Array.from({ length: 10 }, () => grep("^(a+)+$"));
  await engine.docker.getContainer(first).kill();
  for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ ok: true, lines: [] });
  const [second = ""] = await containers();
  expect(second).not.toBe(first);
  await engine.docker.getContainer(second).kill();
  expect(await Promise.all([text("shop/prices.py"), text("shop/new.py")])).toEqual(["PRICE = 2\n", "NEW = True\n"]);
  expect(await containers()).toHaveLength(1);
});

test("containers that die as they start are the engine's failure, not the model's", async () => {
  const { docker } = engine;
  const create = docker.createContainer.bind(docker);
  docker.createContainer = (async (options: ContainerCreateOptions) => {
    const made = await create(options);
    const start = made.start.bind(made);
    made.start = (async () => {
      await start();
      await made.kill();
    }) as typeof made.start;
    return made;
  }) as typeof docker.createContainer;
  try {
    await using dying = open();
    const failing = grep("PRICE", null, dying);
    await expect(failing).rejects.toMatchObject({ code: "infra", message: expect.stringMatching(/twice|come up/) });
  } finally {
    docker.createContainer = create;
  }
  expect(await containers()).toHaveLength(1);
});

test("interrupting or disposing during the start leaves no container", async () => {
  const stop = new AbortController();
  const other = open();
  const starting = other.start(stop.signal);
  setTimeout(() => stop.abort(), 60);
  await expect(starting).rejects.toBeInstanceOf(Interrupted);
  const again = other.start(signal);
  again.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await other[Symbol.asyncDispose]();
  await again.then(
    () => undefined,
    (error) => expect(error).toBeInstanceOf(Interrupted),
  );
  expect(await containers()).toHaveLength(1);
});

test("reading changes no byte of the source, and leaves nothing on the engine", async () => {
  await reading[Symbol.asyncDispose]();
  expect(await containers()).toEqual([]);
  rmSync(inSource("huge.bin"));
  expect(snapshotOf(repo.path)).toEqual(before.files);
  expect(status()).toBe(before.status);
  await expect(reading.start(signal)).rejects.toThrow();
});

test("git's own files are hidden wherever the source keeps them", async () => {
  const git = { cwd: repo.path, env: repo.env() };
  const apart = join(repo.root, "apart");
  execFileSync("git", ["clone", "-q", "--separate-git-dir", join(repo.root, "apart-store"), repo.path, apart], git);
  execFileSync("git", ["worktree", "add", "-q", "--detach", join(repo.root, "linked")], git);
  execFileSync("git", ["clone", "-q", repo.path, join(repo.root, "inner")], git);
  const inner = join(repo.root, "inner");
  execFileSync("mv", [join(inner, ".git"), join(inner, "store")]);
  writeFileSync(join(inner, ".git"), "gitdir: store\n");
  execFileSync("git", ["clone", "-q", repo.path, join(repo.root, "symlinked")], git);
  const symlinked = join(repo.root, "symlinked");
  execFileSync("mv", [join(symlinked, ".git"), join(symlinked, "store")]);
  symlinkSync("store", join(symlinked, ".git"));
  for (const path of [apart, join(repo.root, "linked"), inner, symlinked]) {
    const other = await repo.preflight({ path });
    await using its = openReading({ engine, settings, session, image, source: other });
    expect(
      (await its.start(signal)).items.filter(({ passed }) => !passed),
      path,
    ).toEqual([]);
    expect(await grep("PRICE", "shop/**", its), path).toMatchObject({ lines: ["shop/prices.py:1: PRICE = 1"] });
    expect(await grep("repositoryformatversion|gitdir:", null, its), path).toMatchObject({ ok: true, lines: [] });
    for (const file of [".git", ".git/config", "store/config"]) {
      const { answer } = await its.readFile({ path: file, maxBytes: 100 }, nothing, signal);
      expect(answer.ok, `${path} ${file}`).toBe(false);
    }
  }
});

test.runIf(process.getuid?.() === 0)("other mounts inside the source stay out of sight and unchanged", async () => {
  using other = GitRepo.withCommit({ "shop/prices.py": "PRICE = 1\n" });
  const mounted = join(other.path, "mounted");
  mkdirSync(mounted);
  execFileSync("mount", ["-t", "tmpfs", "none", mounted]);
  try {
    writeFileSync(join(mounted, "inside.txt"), "PRICE elsewhere\n");
    chmodSync(mounted, 0o777);
    const plain = { Type: "bind", Source: other.path, Target: "/workspace", ReadOnly: true } as const;
    await naively(plain, "echo naive > /workspace/mounted/naive");
    expect(readdirSync(mounted)).toEqual(["inside.txt", "naive"]);
    await using its = openReading({ engine, settings, session, image, source: await other.preflight() });
    expect((await its.start(signal)).items.filter(({ passed }) => !passed)).toEqual([]);
    expect(await grep("PRICE", null, its)).toMatchObject({ lines: ["shop/prices.py:1: PRICE = 1"] });
  } finally {
    execFileSync("umount", [mounted]);
  }
});

async function naively(mount: MountSettings, command: string): Promise<void> {
  const container = await engine.docker.createContainer({
    Image: image.id,
    Entrypoint: ["/bin/bash", "-c", command],
    HostConfig: { NetworkMode: "none", Mounts: [mount] },
  });
  try {
    await container.start();
    await container.wait();
  } finally {
    await container.remove({ force: true });
  }
}

test("the container and the brain agree about what looks like a secret", async () => {
  const names = [
    ".env",
    "prod.env",
    "a.pem",
    "id_rsa",
    "id_rsa.pub",
    "secrets.yml",
    "test_secrets.py",
    "credentials",
    "x",
  ];
  const around = ["*", "*.example", "*.bak", "*~", "..*.swp", "d/*", ".AWS/*", "*.d/x", "*\u017f", "\u212a*"];
  const paths = names.flatMap((name) => around.map((form) => form.replace("*", name)));
  const all = [...paths, ...paths.map((path) => path.toUpperCase())];
  const program =
    "import json,re,sys; like,paths=json.load(sys.stdin); r=re.compile(like,re.I|re.A); print(json.dumps([bool(r.search(p)) for p in paths]))";
  await using box = await ResidentContainer.start();
  const { text } = await box.bash(`${python} -c '${program}' <<'END'\n${JSON.stringify([secretFiles, all])}\nEND`);
  expect(JSON.parse(text)).toEqual(all.map(looksLikeSecretFile));
});
