import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sha256 } from "../../runner/environment/environment-key.js";
import { EnvironmentStore } from "../../runner/environment/environment-store.js";
import { labels } from "../../runner/hands/docker/container/labels.js";
import { ownerOf } from "../../runner/hands/docker/container/owner.js";
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
  id: "T-001",
  title: "A newer greeting",
  description: "Raise greet to version 2 in pyproject.toml.",
  acceptance_criteria: ["greeting(name) is of version 2"],
  test: {
    name: "test_t001_upgrade.py",
    source: 'from greet import greeting\n\n\ndef test_upgrade():\n    assert greeting("Bo") == "hello Bo, from 2.0"\n',
  },
};

const looks: SeedTask = {
  id: "T-002",
  title: "Look",
  description: "door.look.seen says which version is there.",
  acceptance_criteria: ["seen() gives the greeting"],
  test: {
    name: "test_t002_look.py",
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

test("a project runs in its environment from seed to commit; a tampered one is never used, and a lost one is remade", async () => {
  await using index = await TinyIndex.open([greet("1.0")]);
  const play = new Play({ "T-001": opening });
  let isTamperedWith = false;
  const { world } = await open(index, {
    script: { worker: (request) => (isTamperedWith ? { calls: [bash("true")] } : play.worker(request)) },
  });
  await using _ = world;
  const session = await besideStrays(world, () => world.stage());
  expect(world.said.join("\n")).toMatch(/environment: 1 package from pyproject\.toml/);
  const { signal } = new AbortController();
  expect(await pruneEnvironments(world.settings, signal)).toEqual({ removed: [], inUse: [], kept: 1 });

  const volume = volumeOf(world);
  await tamperWith(world, volume);
  isTamperedWith = true;
  const refused = await world.run(session);
  isTamperedWith = false;
  expect(refused.stop).toMatchObject({ reason: "infra", detail: expect.stringContaining("is not what tilth made") });

  await world.engine.docker.getVolume(volume).remove();
  index.add(greet("1.5"));
  const end = await world.resume(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect(lockOf(session)).toMatch(/^greet==1\.0 \\\n {4}--hash=sha256:[0-9a-f]{64}$/m);
  const events = await wholeLog(session);
  expect(of(events, "environment")).toEqual([
    expect.objectContaining({ tree: null, packages: 1, built: true, lock: sha256(lockOf(session)) }),
  ]);
  const receipts = of(events, "isolation_receipt").map(({ role, passed, open_to }) => ({ role, passed, open_to }));
  expect(receipts.filter(({ role }) => role === "build" || role === "work")).toEqual([
    { role: "build", passed: true, open_to: ["the package index"] },
    { role: "build", passed: true, open_to: ["the package index"] },
    { role: "work", passed: true, open_to: [] },
  ]);
  expect(worker(world)).toContain("greet 1.0");

  const again = volumeOf(world);
  const pruned = await pruneEnvironments(world.settings, signal);
  expect(pruned).toMatchObject({ removed: expect.arrayContaining([again]), kept: 0 });
  expect(await verified(world, session)).toMatchObject({ agrees: true });
  await pruneEnvironments(world.settings, signal);
  expect([...new EnvironmentStore(world.settings.home).all()]).toEqual([]);
});

/** Runs beside volumes on the engine that come from killed builds, from builds that go on, and from another home. */
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

test("a project that needs no package runs in an environment with its version, its commands and its code's path", async () => {
  await using index = await TinyIndex.open([]);
  const modules = { gate: "lib/gate.py", hall: "src/hall.py", yard: "yard.py" };
  const names = Object.keys(modules);
  const source = `import importlib.metadata
import subprocess

${names.map((name) => `import ${name}\n`).join("")}

def test_names():
    assert [${names.map((name) => `${name}.name`)}] == ${JSON.stringify(names)}
    assert importlib.metadata.version("door") == "4.2"
    assert subprocess.run(["door"], capture_output=True, text=True).stdout == "door\\n"
`;
  const task = { ...opens, test: { name: "test_t001_names.py", source } };
  const making = Object.entries(modules).flatMap(([name, path]) => [
    ...[writeFile(path, `name = "${name}"\n`), bash(`python -c 'import ${name}; print(${name}.name)'`)],
  ]);
  const about = bash("door; python -c 'import importlib.metadata as m; print(m.version(\"door\"))'");
  const steps = { "T-001": [reply([...making, about, present()])] };
  const plain = {
    ...files,
    "pyproject.toml": `${project([])}\n[tool.setuptools]\npackage-dir = {"" = "lib"}\n`,
  };
  const { world, play } = await open(index, { files: plain, tasks: [task], steps });
  await using _ = world;
  const session = await world.stage();
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises, lockOf(session)]).toEqual(["all_done", [], ""]);
  const log = await wholeLog(session);
  const said = of(log, "tool_result").filter(({ tool }) => tool === "bash");
  expect(said.map(({ content }) => content)).toEqual([
    ...names.map((name) => `exit code 0\n${name}\n`),
    "exit code 0\ndoor\n4.2\n",
  ]);
  expect(of(log, "check_run").map(({ task_id, passed }) => [task_id, passed])).toEqual([["T-001", true]]);
  expect(await verified(world, session)).toMatchObject({ agrees: true });
});

function volumeOf({ settings }: SessionWorld): string {
  const [record] = [...new EnvironmentStore(settings.home).all().values()];
  return record?.built?.id ?? "";
}

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

test("a missing environment without an index is refused in one sentence, and nothing is left of the seed", async () => {
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

test("a task that names the dependency file changes the environment for all that follow, and leaves other versions", async () => {
  const steady = (version: string): TinyPackage => ({ name: "steady", version });
  await using index = await TinyIndex.open([greet("1.0"), steady("1.0")]);
  const steps = {
    "T-001": [
      reply([writeFile("pyproject.toml", project(["greet==3", "steady"])), present()]),
      reply([writeFile("pyproject.toml", project(["greet==2", "steady"])), present()], /./, /greet==3|no version/i),
    ],
    "T-002": [
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
  const { world, play } = await open(index, { files: older, tasks: [upgrade, looks], steps });
  await using _ = world;
  const session = await world.stage();
  index.add(greet("2.0"));
  index.add(steady("1.9"));
  const before = lockOf(session);
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect([before, lockOf(session)]).toEqual([
    expect.stringMatching(/greet==1\.0.*steady==1\.0/s),
    expect.stringMatching(/greet==2\.0.*steady==1\.0/s),
  ]);
  const events = await wholeLog(session);
  expect(of(events, "environment").map(({ tree, packages }) => [tree === null, packages])).toEqual([
    [true, 2],
    [false, 2],
  ]);
  const failed = of(events, "check_run").flatMap(({ checks }) => checks.filter(({ passed }) => !passed));
  expect(failed).toEqual([expect.objectContaining({ name: "environment", reason: "no_environment" })]);
});
