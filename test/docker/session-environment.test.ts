import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sha256 } from "../../runner/environment/environment-key.js";
import { EnvironmentStore } from "../../runner/environment/environment-store.js";
import { labels } from "../../runner/hands/labels.js";
import { ownerOf } from "../../runner/hands/owner.js";
import { pruneEnvironments, type SessionFiles, verifySession } from "../../runner/index.js";
import { realImage } from "../helpers/image.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { bash, Play, present, reply, type Step, writeFile } from "../helpers/session-play.js";
import { type SeedTask, type SessionPlan, SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";
import type { TinyPackage } from "../helpers/tiny-wheel.js";

const greet = (version: string): TinyPackage => ({
  ...{ name: "greet", version },
  files: { "greet/__init__.py": `def greeting(name):\n    return f"hello {name}, from ${version}"\n` },
});

const project = (needs: readonly string[]) => `[project]
name = "door"
version = "4.2"
dependencies = ${JSON.stringify(needs)}

[project.scripts]
door = "door.main:main"
`;

const files = {
  "pyproject.toml": project(["greet"]),
  "src/door/__init__.py": "",
  "src/door/main.py": 'def main():\n    print("door")\n',
};

const opens: SeedTask = {
  id: "T-001",
  title: "Open",
  description: "door.hall.open greets.",
  acceptance_criteria: ["open(name) gives the greeting"],
  test: {
    name: "test_t001_open.py",
    source: `import importlib.metadata
import subprocess

from door.hall import open_for


def test_open():
    assert open_for("Ada").startswith("hello Ada, from 1")
    assert importlib.metadata.version("door") == "4.2"
    assert subprocess.run(["door"], capture_output=True, text=True).stdout == "door\\n"
`,
  },
};

const hall = "from greet import greeting\n\n\ndef open_for(name):\n    return greeting(name)\n";
const opening = [
  reply([
    ["bash", { command: "python -c 'import greet, door; print(greet.greeting(1))'; door; touch $VIRTUAL_ENV/x" }],
  ]),
  reply([writeFile("src/door/hall.py", hall), present()], /hello 1, from 1\.0\ndoor\n.*Read-only file system/s),
];

const upgrade: SeedTask = {
  id: "T-002",
  title: "A newer greeting",
  description: "Raise greet to version 2 in pyproject.toml.",
  acceptance_criteria: ["greeting(name) is of version 2"],
  test: {
    name: "test_t002_upgrade.py",
    source: 'from greet import greeting\n\n\ndef test_upgrade():\n    assert greeting("Bo") == "hello Bo, from 2.0"\n',
  },
};

const looks: SeedTask = {
  id: "T-003",
  title: "Look",
  description: "door.look.seen says which version is there.",
  acceptance_criteria: ["seen() gives the greeting"],
  test: {
    name: "test_t003_look.py",
    source: 'from door.look import seen\n\n\ndef test_look():\n    assert seen() == "hello x, from 2.0"\n',
  },
};

async function open(
  index: TinyIndex,
  plan: Partial<SessionPlan> & { readonly steps?: Record<string, readonly Step[]> },
) {
  const play = new Play(plan.steps ?? { "T-001": opening });
  const env = { PIP_INDEX_URL: index.url, ...plan.env };
  const world = await SessionWorld.open({ files, tasks: [opens], script: { worker: play.worker }, ...plan, env });
  return { world, play };
}

async function verified(world: SessionWorld, session: SessionFiles) {
  const { signal } = new AbortController();
  return await verifySession({ settings: world.settings, files: session, signal, say: () => undefined });
}

const lockOf = (session: SessionFiles) => readFileSync(session.paths.environmentLock, "utf8");
const worker = (world: SessionWorld) => JSON.stringify(world.model.of("worker"));

test("a project runs in its environment, from the seed to its commit; what a killed build left goes, and prune leaves what is in use", async () => {
  await using index = await TinyIndex.open([greet("1.0")]);
  const { world, play } = await open(index, {});
  await using _ = world;
  const session = await besideStrays(world, () => world.stage());
  expect(world.said.join("\n")).toMatch(/environment: 1 package from pyproject\.toml/);
  const { signal } = new AbortController();
  expect(await pruneEnvironments(world.settings, signal)).toEqual({ removed: [], inUse: [], kept: 1 });
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect(lockOf(session)).toMatch(/^greet==1\.0 \\\n {4}--hash=sha256:[0-9a-f]{64}$/m);
  const events = await wholeLog(session);
  expect(of(events, "environment")).toEqual([
    expect.objectContaining({ tree: null, packages: 1, built: true, lock: sha256(lockOf(session)) }),
  ]);
  const receipts = of(events, "isolation_receipt").map(({ role, passed, open_to }) => ({ role, passed, open_to }));
  expect(receipts.filter(({ role }) => role === "build" || role === "work")).toEqual([
    { role: "build", passed: true, open_to: ["the package index"] },
    { role: "work", passed: true, open_to: [] },
  ]);
  expect(worker(world)).toContain("greet 1.0");

  const pruned = await pruneEnvironments(world.settings, signal);
  expect(pruned).toMatchObject({ removed: [expect.stringMatching(/^tilth-env-/)], kept: 0 });
  expect(await verified(world, session)).toMatchObject({ agrees: true });
  await pruneEnvironments(world.settings, signal);
  expect([...new EnvironmentStore(world.settings.home).all()]).toEqual([]);
});

/** With volumes on the engine as builds leave them that were killed, that go on, and that are another home's. */
async function besideStrays<T>(world: SessionWorld, act: () => Promise<T>): Promise<T> {
  const { home } = world.settings;
  const dead = { ...ownerOf(home), pid: 2 ** 22 + 1, started: "1" };
  const named = (name: string, owner: object) => ({
    Name: `tilth-env-${name}-${process.pid}`,
    Labels: { [labels.environment]: "k", [labels.owner]: JSON.stringify(owner) },
  });
  const { docker } = world.engine;
  const strays = [named("dead", dead), named("alive", ownerOf(home)), named("other", ownerOf("/elsewhere"))];
  for (const stray of strays) await docker.createVolume(stray);
  try {
    const acted = await act();
    const left = (await docker.listVolumes({ filters: { label: [labels.environment] } })).Volumes.map(
      ({ Name }) => Name,
    );
    expect(strays.map(({ Name }) => left.includes(Name))).toEqual([false, true, true]);
    return acted;
  } finally {
    for (const { Name } of strays)
      await docker
        .getVolume(Name)
        .remove()
        .catch(() => undefined);
  }
}

test("a project that needs no package runs in an environment that knows its version and its commands", async () => {
  await using index = await TinyIndex.open([]);
  const source = `import importlib.metadata
import subprocess

from door.hall import wide


def test_wide():
    assert wide and importlib.metadata.version("door") == "4.2"
    assert subprocess.run(["door"], capture_output=True, text=True).stdout == "door\\n"
`;
  const task = { ...opens, test: { name: "test_t001_wide.py", source } };
  const steps = {
    "T-001": [
      reply([["bash", { command: "door; python -c 'import importlib.metadata as m; print(m.version(\"door\"))'" }]]),
      reply([writeFile("src/door/hall.py", "wide = True\n"), present()], /door\n4\.2/),
    ],
  };
  const plain = { ...files, "pyproject.toml": project([]) };
  const { world, play } = await open(index, { files: plain, tasks: [task], steps });
  await using _ = world;
  const session = await world.stage();
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises, lockOf(session)]).toEqual(["all_done", [], ""]);
  expect(await verified(world, session)).toMatchObject({ agrees: true });
});

test("a second session finds it without the index; one that was tampered with is used by nobody; one that is gone is made from its lock", async () => {
  const index = await TinyIndex.open([greet("1.0")]);
  const play = new Play({ "T-001": [...opening, ...opening] });
  let isTamperedWith = false;
  const { world } = await open(index, {
    script: { worker: (request) => (isTamperedWith ? { calls: [bash("true")] } : play.worker(request)) },
  });
  await using _ = world;
  const first = await world.stage();
  const asked = index.asked.length;
  const second = await world.stage({ inFlight: "keep" });
  expect([index.asked.length, lockOf(second)]).toEqual([asked, lockOf(first)]);
  expect(of(await wholeLog(second), "environment")[0]).toMatchObject({ built: false });

  const [record] = [...new EnvironmentStore(world.settings.home).all().values()];
  const volume = record?.built?.volume ?? "";
  await tamperWith(world, volume);
  isTamperedWith = true;
  const refused = await world.run(second);
  isTamperedWith = false;
  expect(refused.stop).toMatchObject({ reason: "infra", detail: expect.stringContaining("is not what tilth made") });

  await world.engine.docker.getVolume(volume).remove();
  index.add(greet("1.5"));
  const end = await world.run(first);
  expect(end.stop.reason).toBe("all_done");
  expect(lockOf(first)).toBe(lockOf(second));

  await index[Symbol.asyncDispose]();
  expect(await world.resume(second).then(({ stop }) => stop.reason)).toBe("all_done");
});

async function tamperWith({ engine }: SessionWorld, volume: string): Promise<void> {
  const container = await engine.docker.createContainer({
    Image: (await realImage(engine)).id,
    Entrypoint: ["/bin/sh", "-c", "cd /opt/tilth/env/lib/*/site-packages/greet && echo 'x = 1' >> __init__.py"],
    User: "0:0",
    HostConfig: {
      NetworkMode: "none",
      Mounts: [{ Type: "volume", Source: volume, Target: "/opt/tilth/env" }],
    },
  });
  await container.start();
  expect((await container.wait()).StatusCode).toBe(0);
  await container.remove();
}

test("without an index an environment that is not there yet is one sentence, and nothing is left of the seed", async () => {
  const index = await TinyIndex.open([greet("1.0")]);
  const { world } = await open(index, {});
  await index[Symbol.asyncDispose]();
  await using _ = world;
  await expect(world.stage()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached/),
    hint: "look at the connection and at PIP_INDEX_URL, then try again; TILTH_DEPENDENCIES=none goes without an environment",
  });
  expect(world.sessions()).toEqual([]);
});

test("a task that names the dependency file changes the environment for all that follow, and leaves other versions; one that does not changes nothing", async () => {
  const steady = (version: string): TinyPackage => ({ name: "steady", version });
  await using index = await TinyIndex.open([greet("1.0"), steady("1.0")]);
  const steps = {
    "T-001": [
      ...opening.slice(0, 1),
      reply(
        [writeFile("src/door/hall.py", hall), writeFile("pyproject.toml", project(["greet==2"])), present()],
        ...(opening[1]?.seen ?? []),
      ),
    ],
    "T-002": [
      reply([writeFile("pyproject.toml", project(["greet==3", "steady"])), present()]),
      reply([writeFile("pyproject.toml", project(["greet==2", "steady"])), present()], /./, /greet==3|no version/i),
    ],
    "T-003": [
      reply([["bash", { command: "python -c 'import greet; print(greet.greeting(7))'" }]]),
      reply(
        [
          writeFile("src/door/look.py", 'from greet import greeting\n\n\ndef seen():\n    return greeting("x")\n'),
          present(),
        ],
        /hello 7, from 2\.0/,
      ),
    ],
  };
  const older = { ...files, "pyproject.toml": project(["greet<2", "steady"]) };
  const first = { ...opens, test: { ...opens.test, source: opens.test.source.replace("from 1", "from ") } };
  const { world, play } = await open(index, { files: older, tasks: [first, upgrade, looks], steps });
  await using _ = world;
  const session = await world.stage();
  index.add(greet("2.0"));
  index.add(steady("1.9"));
  const before = lockOf(session);
  const locks = new Map<string, string>();
  world.onEvent(({ type, payload }) => {
    if (type === "commit") locks.set(payload.task_id, lockOf(session));
  });
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect(locks.get("T-001")).toBe(before);
  expect([before, lockOf(session)]).toEqual([
    expect.stringMatching(/greet==1\.0.*steady==1\.0/s),
    expect.stringMatching(/greet==2\.0.*steady==1\.0/s),
  ]);
  const events = await wholeLog(session);
  expect(of(events, "environment").map(({ tree, packages }) => [tree === null, packages])).toEqual([
    [true, 2],
    [false, 2],
  ]);
  expect(of(events, "check_run")[0]?.integrity_notes).toContainEqual(
    "pyproject.toml changes, and the task does not name it: the check runs in the environment in force",
  );
  const failed = of(events, "check_run").flatMap(({ checks }) => checks.filter(({ passed }) => !passed));
  expect(failed).toEqual([expect.objectContaining({ name: "environment", reason: "no_environment" })]);
  expect(await verified(world, session)).toMatchObject({ agrees: true });
});
