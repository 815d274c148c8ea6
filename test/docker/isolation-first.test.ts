import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Docker, { type ContainerCreateOptions } from "dockerode";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { verifySession } from "../../runner/app/verify/verify-session.js";
import { hostPath } from "../../runner/base/ids.js";
import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { Container } from "../../runner/hands/docker/container/container.js";
import { labels, repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { engineAddress } from "../../runner/hands/docker/engine/engine-address.js";
import { isolationOf, specContext } from "../../runner/hands/docker/role-starts.js";
import type { RoleView, SandboxRole } from "../../runner/hands/ports/sandbox.js";
import { newSessionId } from "../../runner/session/session-folders.js";
import { EngineProxy, type Lie } from "../helpers/engine-proxy.js";
import { realImage } from "../helpers/image.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { present, writeFile } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

const { signal } = new AbortController();
const session = newSessionId(new Date());
const environment = `tilth-env-of-${session}`;
const solution = "def open_for(name):\n    return f'hello {name}'\n";
let host: { readonly server: Server; readonly port: number; visits: number };
let proxy: EngineProxy;
let world: SessionWorld;

const worker = ({ messages }: ScriptedRequest): Turn =>
  messages.some(({ role }) => role === "assistant")
    ? { calls: [present({ met: ["door.py:open_for"] })] }
    : { calls: [writeFile("door.py", solution)] };

/** A test that looks for a service of the host while it is collected. */
function acceptanceTest(port: number): string {
  return `${visiting(port)}
from door import open_for


def test_it():
    assert open_for("Ada") == "hello Ada"
`;
}

const visiting = (port: number) => `import urllib.request

try:
    urllib.request.urlopen("http://127.0.0.1:${port}/", timeout=5).read()
except OSError:
    pass
`;

beforeAll(async () => {
  // made if it is missing, which is too much for a simple proxy
  await realImage(await Engine.connect(loadSettings(), signal));
  const server = createServer((_, answer) => {
    host.visits += 1;
    answer.end("host");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = { server, port: (server.address() as AddressInfo).port, visits: 0 };
  const address = engineAddress(loadSettings());
  if (address.kind !== "socket") throw new Error("these tests need the socket of an engine");
  proxy = await EngineProxy.before(address.path);
  const source = acceptanceTest(host.port);
  const task = { title: "Open", description: "door.open_for(name)", acceptance_criteria: ["it greets"] };
  world = await SessionWorld.open({
    files: { "README.md": "x\n" },
    tasks: [{ id: "T-001", ...task, test: { name: "test_t001_it.py", source } }],
    script: { worker },
    env: { DOCKER_HOST: proxy.dockerHost },
  });
});

beforeEach(() => {
  proxy.lie = null;
  host.visits = 0;
});

afterAll(async () => {
  proxy.lie = null;
  for (const volume of [environment, repoVolumeOf(session)])
    await world?.engine.docker.getVolume(volume).remove({ force: true });
  await world?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  host?.server.close();
});

/** Gives containers of a role the host's network, without saying so. */
function onHostNetwork(...roles: readonly SandboxRole[]): Lie {
  return (asked: ContainerCreateOptions) => {
    const role = asked.Labels?.[labels.role];
    if (!roles.some((each) => each === role)) return asked;
    // an engine that is to make no network has none to lie about, so it makes one
    return { ...asked, NetworkDisabled: false, HostConfig: { ...asked.HostConfig, NetworkMode: "host" } };
  };
}

test("without a proof of isolation, a container that was to have no network reaches the host", async () => {
  proxy.lie = (asked) => ({ ...asked, HostConfig: { ...asked.HostConfig, NetworkMode: "host" } });
  const docker = new Docker({ socketPath: proxy.dockerHost.replace("unix://", ""), protocol: "http" });
  const container = await docker.createContainer({
    Image: (await realImage(world.engine)).id,
    Entrypoint: ["/opt/tilth/python", "-c", visiting(host.port)],
    HostConfig: { NetworkMode: "none" },
  });
  await container.start();
  await container.wait();
  await container.remove();
  expect(host.visits).toBe(1);
});

test.each(["work", "clerk", "check", "build", "read"] as const)(
  "a %s container other than requested is removed before anybody has it, and an honest one is used",
  async (role) => {
    const { engine, made } = await starting();
    const onEngine = async () =>
      (await engine.docker.listContainers({ all: true, filters: { label: [`${labels.session}=${session}`] } })).length;
    proxy.lie = onHostNetwork(role);
    await expect(Container.start(engine, viewOf(role), made)).rejects.toMatchObject({
      code: "infra",
      message: expect.stringMatching(new RegExp(`^the ${role} container is not isolated: network \\(.+\\)$`)),
      receipt: { passed: false },
    });
    expect(await onEngine()).toBe(0);
    proxy.lie = null;
    await using honest = await Container.start(engine, viewOf(role), made);
    expect([honest.receipt.passed, await onEngine()]).toEqual([true, 1]);
  },
);

test("a container that shares the host's memory between processes is refused, though its network shows nothing", async () => {
  const { engine, made } = await starting();
  proxy.lie = (asked) => ({ ...asked, HostConfig: { ...asked.HostConfig, IpcMode: "host" } });
  await expect(Container.start(engine, { role: "check" }, made)).rejects.toMatchObject({
    code: "infra",
    message: "the check container is not isolated: namespaces (ipc of the host)",
  });
});

async function starting() {
  const engine = await Engine.connect(world.settings, signal);
  const of = { engine, settings: world.settings, session, image: await realImage(engine) };
  return { engine, made: { context: specContext(of), isolation: isolationOf(of), signal } };
}

function viewOf(role: SandboxRole): RoleView {
  const folder = hostPath(world.repo.path);
  if (role === "read") return { role, source: folder, gitIs: "folder" };
  if (role === "build") return { role, environment };
  return role === "check" ? { role } : { role, worktree: hostPath(world.repo.userHome) };
}

test.each(["check", "clerk"] as const)(
  "a seed ends before its tests run when the %s container would reach the host",
  async (role) => {
    proxy.lie = onHostNetwork(role);
    await expect(world.stage()).rejects.toMatchObject({
      code: "infra",
      message: expect.stringContaining(`the ${role} container is not isolated: network (`),
    });
    expect(host.visits).toBe(0);
    // only a clerk empties a worktree, so the next seed removes the remains of one that had no clerk
    expect(world.sessions()).toHaveLength(role === "clerk" ? 1 : 0);
  },
);

test("a session on an honest engine logs a receipt for each role, and nobody reaches the host", async () => {
  const staged = await world.stage();
  const roles = async () => of(await wholeLog(staged), "isolation_receipt").map(({ role, passed }) => [role, passed]);
  expect((await roles()).sort()).toEqual([
    ["check", true],
    ["clerk", true],
  ]);
  for (const role of ["work", "clerk"] as const) {
    proxy.lie = onHostNetwork(role);
    const { stop } = await (role === "work" ? world.run(staged) : world.resume(staged));
    expect(stop).toMatchObject({ reason: "infra", detail: expect.stringContaining(`the ${role} container is not`) });
    const last = of(await wholeLog(staged), "isolation_receipt").findLast(({ passed }) => !passed);
    expect([last?.role, of(await wholeLog(staged), "tool_result")]).toEqual([role, []]);
  }
  proxy.lie = null;
  expect((await world.resume(staged)).stop).toMatchObject({ reason: "all_done" });
  expect(host.visits).toBe(0);

  const order = { settings: world.settings, files: staged, signal, say: () => undefined };
  const verified = await verifySession(order);
  expect([verified.agrees, verified.compared.join("\n")]).toEqual([
    true,
    expect.stringMatching(/the isolation of the (clerk and check|check and clerk) containers, from inside each/),
  ]);
  proxy.lie = onHostNetwork("check");
  await expect(verifySession(order)).rejects.toMatchObject({
    code: "infra",
    message: expect.stringContaining("check"),
  });
  expect(host.visits).toBe(0);
}, 120_000);
