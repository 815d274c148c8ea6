import type { ContainerCreateOptions } from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import { type CommitId, commitId } from "../../runner/base/ids.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { soon } from "../helpers/soon.js";
import { makeSource, packOf } from "../helpers/sources.js";
import { until } from "../helpers/stopped.js";

const { signal } = new AbortController();
let world: DockerWorld;
let base: CommitId;

beforeAll(async () => {
  world = await DockerWorld.open();
  const source = `${world.settings.home}/source`;
  base = await makeSource(source, { "a.txt": "a\n" });
  const { clerk, work } = world.hands;
  await clerk.open(base, signal);
  await clerk.takePack(packOf(source, base), base, signal);
  await clerk.materialise(base, signal);
  await work.start(signal);
  await work.beginTask(base, signal);
});

afterAll(() => world?.[Symbol.asyncDispose]());

async function containers(role: string): Promise<string[]> {
  const label = [`tilth.session=${world.session}`, `tilth.role=${role}`];
  const listed = await world.engine.docker.listContainers({ all: true, filters: { label } });
  return listed.map(({ Id }) => Id);
}

/** A kill is answered before the resident's pipe has ended, so the loss is seen a little later. */
const seenLost = async () => soon(() => world.hands.work.isLost).toBe(true);

/** Waits until that many processes of the work container run this command. */
async function runs(command: string, times = 1): Promise<void> {
  const [id = ""] = await containers("work");
  await until(async () => {
    const { Processes } = await world.engine.docker.getContainer(id).top({ ps_args: "-eo pid,args" });
    return (Processes as string[][]).filter(([, args]) => args === command).length >= times;
  });
}

async function startAgain() {
  const receipt = await world.hands.work.start(signal);
  await world.hands.work.beginTask(base, signal);
  return receipt;
}

const bash = (command: string, by: AbortSignal = signal) => world.hands.work.bash(command, 30_000, by);
const text = async (command: string) => Buffer.from((await bash(command)).head).toString("utf8");

test("a container that dies under a command is lost once it is gone, and a new one has the task's state again", async () => {
  const [id = ""] = await containers("work");
  const lost = expect(bash("exec sleep 4141")).rejects.toBeInstanceOf(HandsLost);
  await runs("sleep 4141");
  await world.engine.docker.getContainer(id).kill();
  await lost;
  expect(await containers("work")).not.toContain(id);
  await startAgain();
  expect(await text("git log --oneline | wc -l; cat a.txt")).toBe("1\na\n");
});

test("a container that dies while it is idle is noticed, and its successor proves its isolation before it is used", async () => {
  for (const role of ["work", "clerk"]) {
    const [id = ""] = await containers(role);
    await world.engine.docker.getContainer(id).kill();
  }
  await seenLost();
  await expect(bash("true")).rejects.toBeInstanceOf(HandsLost);
  expect((await startAgain()).passed).toBe(true);
  expect(await text("git log --oneline | wc -l")).toBe("1\n");
  // a call that fails may be the first that the clerk learns of it; the next call finds it made anew
  await world.hands.clerk.treeOf(base, signal).catch(() => undefined);
  expect(await world.hands.clerk.snapshot(await world.hands.clerk.treeOf(base, signal), signal)).toMatchObject({
    ok: true,
  });
});

test("a container that cannot be wiped for a task counts as lost, and the next one works", async () => {
  const nowhere = commitId("1".repeat(40));
  await expect(world.hands.work.beginTask(nowhere, signal)).rejects.toThrow(/read-tree/);
  expect(world.hands.work.isLost).toBe(true);
  expect(await containers("work")).toEqual([]);
  await startAgain();
  await world.hands.work.quiet(signal);
  expect(await text("cat a.txt")).toBe("a\n");
});

test("a container that the engine removed while failing to start it is made anew", async () => {
  const { docker } = world.engine;
  const create = docker.createContainer.bind(docker);
  let struck = 0;
  docker.createContainer = (async (options: ContainerCreateOptions) => {
    const made = await create(options);
    const start = made.start.bind(made);
    made.start = (async () => {
      if (struck++ > 0) return start();
      await made.remove({ force: true });
      throw Object.assign(new Error("containerd went away"), { statusCode: 500 });
    }) as typeof made.start;
    return made;
  }) as typeof docker.createContainer;
  try {
    for (const id of await containers("work")) await docker.getContainer(id).kill();
    await seenLost();
    await startAgain();
  } finally {
    docker.createContainer = create;
  }
  // the call that failed, the same call again, and the new one
  expect(struck).toBe(3);
  expect(await text("cat a.txt")).toBe("a\n");
});

test("everything that an interrupted call started is dead when the call has failed", async () => {
  const stop = new AbortController();
  const command = "sleep 4242 & setsid sleep 4242 & exec sleep 4242";
  const failed = expect(bash(command, stop.signal)).rejects.toBeInstanceOf(Interrupted);
  await runs("sleep 4242", 3);
  stop.abort();
  await failed;
  expect(await text("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep [4]242' || true")).toBe("0\n");
});

test("simultaneous calls of the clerk are done one after the other", async () => {
  const { clerk } = world.hands;
  const trees = await Promise.all([clerk.treeOf(base, signal), clerk.treeOf(base, signal), clerk.treeOf(base, signal)]);
  expect(new Set(trees).size).toBe(1);
});

test("disposal waits for containers that were just requested, and ends them too", async () => {
  await using other = await DockerWorld.open();
  const asked = [other.hands.work.start(signal), other.hands.clerk.open(base, signal)];
  other.hands.checks.prepare();
  const ended = Promise.allSettled(asked);
  await other.hands[Symbol.asyncDispose]();
  await ended;
  const filters = { label: [`tilth.session=${other.session}`] };
  expect(await other.engine.docker.listContainers({ all: true, filters })).toEqual([]);
  await expect(other.hands.work.start(signal)).rejects.toBeInstanceOf(Interrupted);
});

test("disposal leaves no container, and keeps the repository for the next run", async () => {
  await world.hands[Symbol.asyncDispose]();
  expect([...(await containers("work")), ...(await containers("clerk"))]).toEqual([]);
  expect((await world.engine.docker.getVolume(`tilth-${world.session}-repo`).inspect()).Driver).toBe("local");
});
