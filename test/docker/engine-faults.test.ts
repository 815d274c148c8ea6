import type { ContainerCreateOptions } from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CommitId } from "../../runner/base/ids.js";
import { openHands } from "../../runner/hands/docker/docker-hands.js";
import { HandsLost } from "../../runner/hands/ports/hands.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { someOf } from "../helpers/every.js";
import { makeSource, packOf } from "../helpers/sources.js";
import { until } from "../helpers/stopped.js";

const { signal } = new AbortController();
let world: DockerWorld;
let base: CommitId;

beforeAll(async () => {
  world = await DockerWorld.open({ memoryBytes: 256 * 1024 ** 2 });
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

async function workContainer(): Promise<string> {
  const label = [`tilth.session=${world.session}`, "tilth.role=work"];
  const [found] = await world.engine.docker.listContainers({ all: true, filters: { label } });
  if (!found) throw new Error("there is no work container");
  return found.Id;
}

async function isThere(id: string): Promise<boolean> {
  return (await world.engine.docker.listContainers({ all: true })).some(({ Id }) => Id === id);
}

const bash = (command: string) => world.hands.work.bash(command, 60_000, signal);
const text = async (command: string) => Buffer.from((await bash(command)).head).toString("utf8");

async function startAgain(): Promise<void> {
  await world.hands.work.start(signal);
  await world.hands.work.beginTask(base, signal);
}

/** Makes `fault` handle the next creation of a container. */
function nextCreation(fault: (create: () => Promise<unknown>) => Promise<unknown>): Disposable {
  const { docker } = world.engine;
  const create = docker.createContainer.bind(docker);
  docker.createContainer = (async (options: ContainerCreateOptions) => {
    docker.createContainer = create;
    return fault(() => create(options));
  }) as typeof docker.createContainer;
  return { [Symbol.dispose]: () => Object.assign(docker, { createContainer: create }) };
}

const refusal = (statusCode: number) =>
  Object.assign(new Error("refused"), { statusCode, json: { message: "because" } });

test("a paused container is removed and counts as lost, and the next one has the task's state again", async () => {
  const id = await workContainer();
  const lost = expect(bash("sleep 50")).rejects.toBeInstanceOf(HandsLost);
  await world.engine.docker.getContainer(id).pause();
  await lost;
  expect(await isThere(id)).toBe(false);
  await startAgain();
  expect(await text("cat a.txt")).toBe("a\n");
});

test("a command that takes all memory is killed and says so, and its container serves the next one", async () => {
  const id = await workContainer();
  const result = await bash("python3 -c 'held = [b\"x\" * 10**7 for _ in range(10**4)]'");
  expect(result).toMatchObject({ exit: null, signal: "SIGKILL", timedOut: false });
  expect(await isThere(id)).toBe(true);
  expect(await text("cat a.txt")).toBe("a\n");
});

const lineWentDead = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

const passing: [string, (create: () => Promise<unknown>) => Promise<unknown>][] = [
  ["500", () => Promise.reject(refusal(500))],
  ["404", () => Promise.reject(refusal(404))],
  ["409", () => Promise.reject(refusal(409))],
  ["with a line that went dead once it was made,", (create) => create().then(() => Promise.reject(lineWentDead()))],
  ["null", async () => world.engine.docker.getContainer(JSON.parse("{}").Id)],
];

// a gate tries one of the refusals, and each of the others
test.each(someOf(passing, 3, ([answer]) => (/^\d/.test(answer) ? "refusal" : answer)))(
  "a container is requested again after the engine answered the first request with %s",
  async (_, fault) => {
    using _fault = nextCreation(fault);
    await world.engine.docker.getContainer(await workContainer()).kill();
    await until(() => world.hands.work.isLost);
    await startAgain();
    expect(await text("cat a.txt")).toBe("a\n");
  },
);

test("a missing image is an infrastructure failure, and never a loss that the worker answers for", async () => {
  const { hands, ...around } = world;
  const image = { ...hands.image, id: `sha256:${"0".repeat(64)}`, env: {}, platform: "" };
  await using without = openHands({ ...around, image, signal });
  const error: unknown = await without.work.start(signal).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "infra", message: expect.stringMatching(/No such image/i) });
});

test("a container that the engine cannot start is reported with the engine's own reason", async () => {
  await using other = await DockerWorld.open({ cpus: 0.001 });
  const failing = other.hands.clerk.open(base, signal);
  await expect(failing).rejects.toMatchObject({
    code: "infra",
    message: expect.stringMatching(/could not start .*cpu/),
  });
});
