import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { ContainerInspectInfo } from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { asSessionId, type HostPath, hostPath } from "../../runner/base/ids.js";
import { constantFiles } from "../../runner/hands/docker/container/constant-files.js";
import { Container } from "../../runner/hands/docker/container/container.js";
import type { SpecContext } from "../../runner/hands/docker/container/container-spec.js";
import type { Isolation } from "../../runner/hands/docker/container/proof.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { isolationOf } from "../../runner/hands/docker/role-starts.js";
import { containerIdentity } from "../../runner/hands/ports/identity.js";
import type { RoleView } from "../../runner/hands/ports/sandbox.js";
import { realImage } from "../helpers/image.js";
import { letContainersWrite } from "../helpers/worktree-folder.js";

const { signal } = new AbortController();
const environment = "tilth-env-of-the-spec";
const memoryBytes = 1024 ** 3;
let engine: Engine;
let home: string;
let context: SpecContext;
let isolation: Isolation;
let worktree: HostPath;

beforeAll(async () => {
  const settings = loadSettings();
  engine = await Engine.connect(settings, signal);
  const session = asSessionId("20250101-000000-5bec00");
  if (!session) throw new Error("not a session id");
  home = mkdtempSync(join(tmpdir(), "tilth-spec-"));
  worktree = hostPath(join(home, "workspace"));
  mkdirSync(join(worktree, ".git"), { recursive: true });
  letContainersWrite(worktree);
  const identity = containerIdentity();
  const sandbox = { ...settings.sandbox, memoryBytes, pids: 256, diskBytes: 5 * 1024 ** 3, cpus: 1 };
  const constants = constantFiles(home, identity);
  const image = await realImage(engine);
  isolation = isolationOf({ engine, settings: { ...settings, home }, image });
  context = {
    session,
    owner: '{"o":1}',
    imageId: image.id,
    identity,
    sandbox,
    engineCpus: 2,
    dialect: "docker",
    constants,
    leaseSeconds: 60,
  };
});

afterAll(async () => {
  await engine.docker.getVolume(`tilth-${context.session}-repo`).remove({ force: true });
  await engine.docker.getVolume(environment).remove({ force: true });
  rmSync(home, { recursive: true, force: true });
});

const size = (share: number, mode: string) => {
  const { uid, gid } = containerIdentity();
  return `rw,exec,nosuid,nodev,size=${memoryBytes * share},uid=${uid},gid=${gid},mode=${mode}`;
};

function bound(source: string, target: string, writable = false) {
  return { Type: "bind", Source: source, Destination: target, Mode: "", RW: writable, Propagation: "rprivate" };
}

/** The output that `docker inspect` must give, whatever the role; spelled out here a second time on purpose. */
function golden(view: RoleView, mounts: readonly object[], tmpfs: Record<string, string>) {
  const { uid, gid } = context.identity;
  return {
    Image: context.imageId,
    Path: "/opt/tilth/python",
    Args: ["-I", "-S", "/opt/tilth/resident/__main__.pyc", "--lease-seconds", "60"],
    State: { Running: true },
    Config: {
      User: `${uid}:${gid}`,
      Hostname: "tilth",
      Env: ["PATH=/opt/tilth/venv/bin:/usr/local/bin:/usr/bin:/bin", "HOME=/home/tilth", "LANG=C.UTF-8"],
      Healthcheck: { Test: ["NONE"] },
      StopSignal: "SIGKILL",
      ...(view.role === "clerk" || view.role === "read" ? { NetworkDisabled: true } : {}),
      OpenStdin: true,
      StdinOnce: true,
      Tty: false,
      Labels: { "tilth.session": context.session, "tilth.role": view.role, "tilth.owner": '{"o":1}' },
    },
    HostConfig: {
      AutoRemove: true,
      Binds: null,
      CapAdd: null,
      CapDrop: ["ALL"],
      Devices: null,
      GroupAdd: null,
      Init: false,
      IpcMode: "private",
      LogConfig: { Type: "none", Config: {} },
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: 1e9,
      CpuShares: 512,
      NetworkMode: "none",
      PidMode: "",
      PidsLimit: 256,
      PortBindings: null,
      Privileged: false,
      ReadonlyRootfs: true,
      SecurityOpt: ["no-new-privileges", expect.stringMatching(/^seccomp=\{"defaultAction":"SCMP_ACT_ERRNO"/)],
      ShmSize: 64 * 1024 ** 2,
      Tmpfs: tmpfs,
      UTSMode: "",
      Ulimits: [
        { Name: "core", Soft: 0, Hard: 0 },
        { Name: "fsize", Soft: 5 * 1024 ** 3, Hard: 5 * 1024 ** 3 },
        { Name: "nofile", Soft: 8192, Hard: 8192 },
      ],
      UsernsMode: "",
      VolumesFrom: null,
    },
    Mounts: mounts,
  };
}

/** `open`: its programs can reach the hosts that the brain allows. */
async function inspected(view: RoleView, open = false): Promise<ContainerInspectInfo> {
  const wayOut = open ? { onConnection: (connection: Duplex) => void connection.destroy() } : {};
  await using container = await Container.start(engine, view, { context, isolation, signal, ...wayOut });
  if (open) await container.call("listen", {}, { signal, timeoutMs: 10_000 });
  const seen = await engine.docker.getContainer(container.id).inspect();
  for (const mount of seen.HostConfig.Mounts ?? [])
    if (mount.Type === "bind") expect(mount.BindOptions).toEqual({ Propagation: "rprivate", NonRecursive: true });
  // the engine lists mounts in no particular order
  return { ...seen, Mounts: seen.Mounts.sort((a, b) => a.Destination.localeCompare(b.Destination)) };
}

function repository(writable: boolean) {
  return expect.objectContaining({
    Type: "volume",
    Name: `tilth-${context.session}-repo`,
    Destination: "/repo",
    Driver: "local",
    RW: writable,
  });
}

const half = () => ({ "/tmp": size(1 / 4, "1777"), "/home/tilth": size(1 / 4, "0700") });
const names = () => [bound(context.constants.group, "/etc/group"), bound(context.constants.passwd, "/etc/passwd")];

test.each(["work", "clerk"] as const)("a running %s container matches the spec", async (role) => {
  const view = { role, worktree };
  const mounts = [...names(), repository(role === "clerk"), bound(worktree, "/workspace", true)];
  const git = bound(context.constants.gitfile, "/workspace/.git");
  rmSync(join(worktree, ".git"), { recursive: true, force: true });
  expect(await inspected(view)).toMatchObject(golden(view, [...mounts, git], half()));
});

test("a work container with allowed hosts is like any other, and has no network", async () => {
  const view = { role: "work", worktree } as const;
  const mounts = [...names(), repository(false), bound(worktree, "/workspace", true)];
  rmSync(join(worktree, ".git"), { recursive: true, force: true });
  const seen = await inspected(view, true);
  expect(seen).toMatchObject(golden(view, [...mounts, bound(context.constants.gitfile, "/workspace/.git")], half()));
  expect(Object.keys(seen.NetworkSettings.Networks)).toEqual(["none"]);
});

function environmentVolume(writable: boolean) {
  const where = { Type: "volume", Name: environment, Destination: "/opt/tilth/env", Driver: "local" };
  return expect.objectContaining({ ...where, RW: writable });
}

test("a work container has its project's environment, and cannot write to it", async () => {
  const view = { role: "work", worktree, environment } as const;
  const git = bound(context.constants.gitfile, "/workspace/.git");
  const mounts = [...names(), environmentVolume(false), repository(false), bound(worktree, "/workspace", true), git];
  rmSync(join(worktree, ".git"), { recursive: true, force: true });
  expect(await inspected(view)).toMatchObject(golden(view, mounts, half()));
});

test("a check container has the environment read-only too", async () => {
  const tmpfs = { "/tmp": size(1 / 8, "1777"), "/home/tilth": size(1 / 8, "0700"), "/workspace": size(1 / 2, "0755") };
  const view = { role: "check", environment } as const;
  expect(await inspected(view)).toMatchObject(
    golden(view, [...names(), environmentVolume(false), repository(false)], tmpfs),
  );
});

test("a running build container sees the environment that it makes, and has no network", async () => {
  const view = { role: "build", environment } as const;
  const seen = await inspected(view, true);
  expect(seen).toMatchObject(golden(view, [...names(), environmentVolume(true)], half()));
  expect(Object.keys(seen.NetworkSettings.Networks)).toEqual(["none"]);
});

test("a running check container sees the repository and nothing of the host", async () => {
  const tmpfs = { "/tmp": size(1 / 8, "1777"), "/home/tilth": size(1 / 8, "0700"), "/workspace": size(1 / 2, "0755") };
  expect(await inspected({ role: "check" })).toMatchObject(
    golden({ role: "check" }, [...names(), repository(false)], tmpfs),
  );
});

test("a running read container sees the source read-only, and nothing in the place of its .git", async () => {
  const source = hostPath(mkdtempSync(join(home, "source-")));
  mkdirSync(join(source, ".git", "hooks"), { recursive: true });
  const view = { role: "read", source, gitIs: "folder" } as const;
  const mounts = [...names(), bound(source, "/workspace"), bound(context.constants.nothing, "/workspace/.git")];
  expect(await inspected(view)).toMatchObject(golden(view, mounts, half()));
});

test("a read container hides git's own files wherever else the source keeps them, and a .git that leads there", async () => {
  const source = hostPath(mkdtempSync(join(home, "source-")));
  mkdirSync(join(source, "store"));
  symlinkSync("store", join(source, ".git"));
  const view = { role: "read", source, gitIs: "link", gitFolders: ["store"] } as const;
  const mounts = [...names(), bound(source, "/workspace"), bound(context.constants.nothing, "/workspace/store")];
  expect(await inspected(view)).toMatchObject(golden(view, mounts, half()));
});
