import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSettings } from "../../../../cli/settings/settings.js";
import type { Clock } from "../../../../runner/base/clock.js";
import { TilthError } from "../../../../runner/base/errors.js";
import { Engine } from "../../../../runner/hands/docker/engine/engine.js";
import { localImage } from "../../../../runner/hands/docker/image/image-engine.js";

const { signal } = new AbortController();
const sound = {
  ID: "x",
  NCPU: 4,
  ServerVersion: "99",
  OSType: "linux",
  DefaultRuntime: "runc",
  Runtimes: { runc: {} },
  SecurityOptions: ["name=seccomp,profile=default"],
  MemoryLimit: true,
  SwapLimit: false,
  PidsLimit: true,
  CpuCfsQuota: true,
};
let folder: string;
let server: Server | null = null;
let answers: ((response: ServerResponse) => void)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tilth-engine-"));
  answers = [];
});

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = null;
  rmSync(folder, { recursive: true, force: true });
});

async function listen(info: object): Promise<void> {
  server = createServer((request, response) => {
    if (request.url?.startsWith("/info")) response.end(JSON.stringify(info));
    else answers.shift()?.(response);
  });
  await new Promise<void>((resolve) => server?.listen(join(folder, "engine.sock"), resolve));
}

/** A clock that passes only while somebody waits. */
function standingClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  const sum = () => waits.reduce((total, each) => total + each, 0);
  return { waits, now: () => new Date(0), monotonicMs: sum, sleep: async (ms) => void waits.push(ms) };
}

function connect(runtime: string | null = null, clock = standingClock(), withinMs?: number): Promise<Engine> {
  const settings = loadSettings();
  const providerEnvironment = { DOCKER_HOST: `unix://${folder}/engine.sock` };
  return Engine.connect(
    { ...settings, providerEnvironment, sandbox: { ...settings.sandbox, runtime } },
    signal,
    clock,
    withinMs,
  );
}

const fail = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json" }).end('{"message":"because"}');
};

test("a missing engine at the start is a usage error with the command to type", async () => {
  const error = await connect().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TilthError);
  expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(`${folder}/engine.sock: ENOENT`) });
  expect((error as TilthError).hint).toContain("apt-get install docker.io");
});

test.each([
  ["a page", 200, /what answers there is something else$/],
  ["a refusal", 404, /it answered with status 404$/],
])("a web server that gives %s is reported in one line as no engine", async (_, status, sentence) => {
  const page = (response: ServerResponse) => response.writeHead(status).end("<html>\n<p>hello\n</html>\n");
  server = createServer((__, response) => page(response));
  await new Promise<void>((resolve) => server?.listen(join(folder, "engine.sock"), resolve));
  await expect(connect()).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(sentence) });
});

test.each([
  ["rootless", { SecurityOptions: ["name=seccomp", "name=rootless"] }, /rootless/],
  ["rootless, as some versions of podman alone tell it", { BuildahVersion: "1.28", Rootless: true }, /rootless/],
  ["userns-remapped", { SecurityOptions: ["name=seccomp", "name=userns"] }, /remaps user ids/],
  ["without seccomp", { SecurityOptions: [] }, /no seccomp/],
  ["for Windows", { OSType: "windows" }, /runs windows containers/],
])("an engine that is %s is refused in one sentence", async (_, change, sentence) => {
  await listen({ ...sound, ...change });
  await expect(connect()).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(sentence) });
});

test("a runtime that the engine lacks is refused, and the limits that it drops are known", async () => {
  await listen(sound);
  await expect(connect("runsc")).rejects.toMatchObject({ code: "usage", message: expect.stringContaining('"runsc"') });
  expect((await connect()).facts).toMatchObject({ cpus: 4, discarded: ["swap"] });
});

test("an outage of the engine is waited out", async () => {
  await listen(sound);
  const clock = standingClock();
  const engine = await connect(null, clock);
  answers = [fail(503), (response) => response.destroy(), (response) => response.end('{"Version":"1"}')];
  expect(await engine.call("ask it", signal, (docker) => docker.version())).toEqual({ Version: "1" });
  expect(clock.waits).toEqual([250, 500]);
});

test.each([
  ["null", "null"],
  ["nothing", ""],
  ["the page of a proxy", "<html>Sign in</html>"],
])("an unusable answer is not accepted, and the request is made again: %s", async (_, body) => {
  await listen(sound);
  const engine = await connect();
  answers = [(response) => response.end(body), (response) => response.end('[{"Id":"a"}]')];
  expect(await engine.call("list", signal, (docker) => docker.listContainers())).toEqual([{ Id: "a" }]);
});

test.each([
  ["nothing", ""],
  ["a line feed, as some versions of podman end it,", "\n"],
])("an empty answer is accepted where an engine has nothing to say: %s", async (_, body) => {
  await listen(sound);
  const engine = await connect();
  answers = [(response) => response.writeHead(201).end(body)];
  await engine.call("name it", signal, (docker) => docker.getImage("a").tag({ repo: "b" }));
  expect(answers).toEqual([]);
});

test("an outage of two minutes is an infrastructure failure, and a refusal is no outage", async () => {
  await listen(sound);
  const clock = standingClock();
  const engine = await connect(null, clock);
  answers = Array.from({ length: 100 }, () => fail(500));
  const lasting = engine.call("ask it", signal, (docker) => docker.version());
  await expect(lasting).rejects.toMatchObject({ code: "infra", message: expect.stringContaining("could not ask it") });
  expect(clock.monotonicMs()).toBeGreaterThan(110_000);
  answers = [fail(409)];
  const refused = engine.must("make it", signal, (docker) => docker.createContainer({}));
  await expect(refused).rejects.toMatchObject({ code: "infra", message: "the engine refused to make it: because" });
});

test("a slow engine is waited for, and one that never answers is an infrastructure failure", async () => {
  await listen(sound);
  const engine = await connect();
  answers = [(response) => setTimeout(() => response.end('{"Version":"1"}'), 300)];
  expect(await engine.call("ask it", signal, (docker) => docker.version())).toEqual({ Version: "1" });
  const hasty = await connect(null, standingClock(), 30);
  answers = Array.from({ length: 40 }, () => () => undefined);
  await expect(hasty.call("ask it", signal, (docker) => docker.version())).rejects.toMatchObject({
    code: "infra",
    message: expect.stringContaining("no answer within 0.03 s"),
  });
});

test("an engine that does not say whether it has an image is an infrastructure failure, and a 404 means it has none", async () => {
  await listen(sound);
  const engine = await connect();
  answers = [fail(409), fail(404)];
  await expect(localImage("x:1", { engine, signal })).rejects.toMatchObject({ code: "infra" });
  expect(await localImage("x:1", { engine, signal })).toBe(null);
});

test("a refusal that repeats the whole request is cut", async () => {
  await listen(sound);
  const engine = await connect();
  answers = [
    (response) => response.writeHead(400).end(JSON.stringify({ message: `no: ${"x".repeat(20_000)}, never` })),
  ];
  const refused = await engine.must("make it", signal, (d) => d.createContainer({})).catch((error: unknown) => error);
  expect((refused as TilthError).message).toMatch(/^the engine refused to make it: no: x+ … x+, never$/);
  expect((refused as TilthError).message.length).toBeLessThan(500);
});
