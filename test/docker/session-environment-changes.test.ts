import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EnvironmentStore } from "../../runner/environment/environment-store.js";
import { type SessionFiles, verifySession } from "../../runner/index.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { bash, Play, present, reply, type Step, writeFile } from "../helpers/session-play.js";
import { type SeedTask, SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";
import type { TinyPackage } from "../helpers/tiny-wheel.js";

const greet = (version: string): TinyPackage => ({
  ...{ name: "greet", version },
  files: { "greet/__init__.py": `version = "${version}"\n` },
});

const task = (number: number, description: string, claim: string): SeedTask => ({
  id: `T-00${number}`,
  title: `Task ${number}`,
  description,
  acceptance_criteria: ["The test passes"],
  test: {
    name: `test_t00${number}_it.py`,
    source: `${importsOf(claim)}\n\ndef test_it():\n    assert ${claim}\n`,
  },
});

function importsOf(claim: string): string {
  const modules = ["importlib.metadata", "importlib.util", "pathlib"].filter((name) => claim.includes(name));
  return modules.map((name) => `import ${name}\n`).join("");
}

const hasGreet = (version: string) => `importlib.metadata.version("greet") == "${version}"`;
const stands = (path: string) => `pathlib.Path("${path}").exists()`;

interface Plan {
  readonly files: Readonly<Record<string, string>>;
  readonly tasks: readonly SeedTask[];
  readonly steps: Record<string, readonly Step[]>;
  readonly env?: Readonly<Record<string, string>>;
}

async function open(index: TinyIndex, { steps, env, ...plan }: Plan) {
  const play = new Play(steps);
  const world = await SessionWorld.open({
    ...plan,
    script: { worker: play.worker },
    env: { PIP_INDEX_URL: index.url, ...env },
  });
  return { world, play };
}

async function verified(world: SessionWorld, files: SessionFiles) {
  const { signal } = new AbortController();
  return (await verifySession({ settings: world.settings, files, signal, say: () => undefined })).differs;
}

const lockOf = ({ paths }: SessionFiles) => readFileSync(paths.environmentLock, "utf8");

/** Runs without the locks that are kept with the session. */
async function withoutLocks<T>({ paths: { environments } }: SessionFiles, act: () => Promise<T>): Promise<T> {
  renameSync(environments, `${environments}-elsewhere`);
  try {
    return await act();
  } finally {
    rmSync(environments, { recursive: true, force: true });
    renameSync(`${environments}-elsewhere`, environments);
  }
}

test("an environment is remade from lock and index, else nothing runs; tasks may return to it, not remove its file", async () => {
  await using index = await TinyIndex.open([greet("1.0")]);
  const { world, play } = await open(index, {
    files: { "needs/base.txt": "greet\n" },
    tasks: [
      task(1, "needs/base.txt asks for greet 2 in needs/more.txt.", stands("one")),
      task(2, "needs/base.txt asks for any greet, as it did.", stands("two")),
    ],
    steps: {
      "T-001": [
        reply([bash("rm needs/base.txt"), present()]),
        reply(
          [
            ...[writeFile("needs/base.txt", "-r more.txt\n"), writeFile("needs/more.txt", "greet==2.0\n")],
            ...[writeFile("one", ""), present()],
          ],
          /./,
          /names needs\/base\.txt, which is not there/,
        ),
      ],
      "T-002": [reply([writeFile("needs/base.txt", "greet\n"), writeFile("two", ""), present()])],
    },
    env: { TILTH_DEPENDENCIES: "needs/base.txt" },
  });
  await using _ = world;
  const session = await world.stage();
  const first = lockOf(session);
  const store = new EnvironmentStore(world.settings.home);
  for (const id of store.all().keys()) store.remove(id);
  for (const volume of await world.environments()) await world.engine.docker.getVolume(volume).remove();
  await expect(withoutLocks(session, () => world.run(session))).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/\.lock is gone, and without it the environment cannot be made again$/),
  });
  world.env.PIP_INDEX_URL = "http://127.0.0.1:9/simple/";
  await expect(world.run(session)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(/could not be reached/),
    hint: "look at the connection and at PIP_INDEX_URL, then try again",
  });
  expect(session.loadCheckpoint().status).toBe("prepared");

  world.env.PIP_INDEX_URL = index.url;
  index.add(greet("2.0"));
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect(lockOf(session)).toBe(first);
  const locks = of(await wholeLog(session), "environment").map(({ lock }) => lock);
  expect([locks.length, new Set(locks).size, locks.at(-1)]).toEqual([3, 2, locks[0]]);
  expect(await verified(world, session)).toEqual([]);
});

/** Rewrites the log as an older version wrote it, which did not say what an environment was made from. */
function forgetFiles({ paths }: SessionFiles): void {
  const lines = readFileSync(paths.events, "utf8").trimEnd().split("\n");
  const older = lines.map((line) => {
    const event = JSON.parse(line);
    if (event.type === "environment") delete event.payload.files;
    return `${JSON.stringify(event)}\n`;
  });
  writeFileSync(paths.events, older.join(""));
}

const notesOf = async (session: SessionFiles) =>
  of(await wholeLog(session), "check_run").map(({ task_id, integrity_notes }) => [task_id, integrity_notes]);

test("a change that no task named has no effect, even many tasks or a stop later, until one names it", async () => {
  const other = (version: string) => ({ name: "other", version });
  await using index = await TinyIndex.open([
    ...[
      greet("1.0"),
      greet("2.0"),
      other("1.0"),
      other("2.0"),
      { name: "evil", version: "1.0", files: { "evil.py": "" } },
    ],
  ]);
  const { world, play } = await open(index, {
    files: { "requirements.txt": "greet==1.0\n", "requirements-dev.txt": "other==1.0\n" },
    tasks: [
      task(1, "Make one.", stands("one")),
      task(
        2,
        "requirements-dev.txt asks for other 2.",
        `importlib.util.find_spec("evil") is None and ${stands("two")}`,
      ),
      task(3, "requirements.txt asks for greet 2.", hasGreet("2.0")),
    ],
    steps: {
      "T-001": [reply([writeFile("requirements.txt", "greet==2.0\nevil\n"), writeFile("one", ""), present()])],
      "T-002": [reply([writeFile("requirements-dev.txt", "other==2.0\n"), writeFile("two", ""), present()])],
      "T-003": [
        reply([bash("false")]),
        reply([
          bash("python -c 'import greet; print(greet.version, flush=True); import evil'"),
          ...[writeFile("requirements.txt", "greet==2.0\n"), present()],
        ]),
      ],
    },
    env: { TILTH_MAX_ITERATIONS_PER_TASK: "1" },
  });
  await using _ = world;
  const session = await world.stage();
  const asked = index.asked.length;
  const askedMeanwhile = new Map<string, number>();
  world.onEvent(({ type, payload }) => {
    if (type === "commit") askedMeanwhile.set(payload.task_id, index.asked.length - asked);
  });
  expect((await world.run(session)).stop.reason).not.toBe("all_done");
  expect(askedMeanwhile.get("T-001")).toBe(0);
  expect(lockOf(session)).toMatch(/greet==1\.0.*other==2\.0/s);
  expect((await world.resume(session)).stop.reason).toBe("all_done");
  expect(play.surprises).toEqual([]);
  const log = await wholeLog(session);
  const made = of(log, "environment").map(({ task_id, files = [] }) => [task_id, files.map(([path]) => path)]);
  expect(made).toEqual([undefined, "T-002", "T-003"].map((id) => [id, ["requirements-dev.txt", "requirements.txt"]]));
  const [base, second, last] = of(log, "environment").map(({ files }) => new Map(files));
  expect(second?.get("requirements.txt")).toBe(base?.get("requirements.txt"));
  expect(last?.get("requirements-dev.txt")).toBe(second?.get("requirements-dev.txt"));
  expect(lockOf(session)).not.toContain("evil");
  const seen = of(log, "tool_result").findLast(({ tool }) => tool === "bash");
  expect(seen?.content).toMatch(/^1\.0\n(.*\n)*ModuleNotFoundError: No module named 'evil'/m);
  expect(await notesOf(session)).toEqual([
    ["T-001", [expect.stringMatching(/^requirements\.txt changes, and the task does not name it/)]],
    ["T-002", []],
    ["T-003", [expect.stringMatching(/^requirements\.txt was changed before by a task that did not name it/)]],
  ]);
  expect(await verified(world, session)).toEqual([]);
});

/** Leaves the session as if the process had died when the branch was moved and its log did not say so yet. */
function dieBeforeCommit(session: SessionFiles): void {
  const { events } = session.paths;
  const lines = readFileSync(events, "utf8").split("\n");
  const died = lines.findIndex((line) => line.includes('"type":"commit",'));
  const kept = lines.slice(0, died).map((line) => `${line}\n`);
  writeFileSync(events, kept.join(""));
}

test("the first dependency file comes and goes, across a run that died and a log that misses what was made from it", async () => {
  await using index = await TinyIndex.open([greet("1.0"), greet("2.0")]);
  const { world, play } = await open(index, {
    files: { "README.md": "nothing yet\n" },
    tasks: [
      task(1, "Ask for greet 2 in requirements.txt.", stands("one")),
      task(2, "Make two.", `(importlib.util.find_spec("greet") is None or ${hasGreet("2.0")}) and ${stands("two")}`),
      task(3, "Remove requirements.txt.", stands("three")),
    ],
    steps: {
      "T-001": [reply([writeFile("requirements.txt", "greet==2.0\n"), writeFile("one", ""), present()])],
      "T-002": [
        reply([bash("false")]),
        reply([writeFile("requirements.txt", "greet==1.0\n"), writeFile("two", ""), present()]),
      ],
      "T-003": [reply([bash("rm requirements.txt; python -c 'import greet' && touch three"), present()])],
    },
    env: { TILTH_MAX_ITERATIONS_PER_TASK: "1" },
  });
  await using _ = world;
  const session = await world.stage();
  world.env.TILTH_BUILD_FROM_SOURCE = "greet";
  const plan = session.loadPrd();

  // the run ends after its first task, and its record is put back to before that task was done
  world.env.TILTH_MAX_TOKENS = "1";
  expect((await world.run(session)).stop.reason).toBe("token_cap");
  dieBeforeCommit(session);
  writeFileSync(session.paths.environmentLock, "greet==1.0\n");
  session.savePrd(plan);
  session.updateCheckpoint({ status: "running" });
  delete world.env.TILTH_MAX_TOKENS;
  expect((await world.resume(session)).stop.reason).not.toBe("all_done");
  expect(lockOf(session)).toContain("greet==2.0");

  forgetFiles(session);
  for (const volume of await world.environments()) await world.engine.docker.getVolume(volume).remove();
  expect([(await world.resume(session)).stop.reason, play.surprises]).toEqual(["all_done", []]);
  const [last, ...earlier] = (await notesOf(session)).reverse();
  expect(earlier[0]).toEqual([
    "T-002",
    [expect.stringMatching(/^requirements\.txt changes, and the task does not name it/)],
  ]);
  expect(last?.[0]).toBe("T-003");
  const environments = of(await wholeLog(session), "environment");
  expect(environments.map(({ packages, from_source }) => [packages, from_source])).toEqual([
    [0, []],
    [1, []],
    [0, []],
  ]);
  expect(existsSync(session.paths.environmentLock)).toBe(false);
  expect(await verified(world, session)).toEqual([]);
});
