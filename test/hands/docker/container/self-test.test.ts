import { expect, test } from "vitest";
import { asSessionId, hostPath } from "../../../../runner/base/ids.js";
import type { SpecContext } from "../../../../runner/hands/docker/container/container-spec.js";
import { receiptItems, type SelfTestFacts } from "../../../../runner/hands/docker/container/self-test.js";

const session = asSessionId("20250101-000000-abcdef");
if (!session) throw new Error("not a session id");
const path = hostPath("/h/x");
const context: SpecContext = {
  session,
  owner: "{}",
  imageId: "sha256:0",
  identity: { uid: 1000, gid: 1000 },
  sandbox: { image: null, runtime: null, memoryBytes: 1e9, cpus: null, pids: 9, diskBytes: 1e9 },
  engineCpus: 2,
  dialect: "docker",
  constants: { gitfile: path, passwd: path, group: path, seccomp: path, nothing: path },
  leaseSeconds: 60,
};
const none = "0000000000000000";
const ro = ["ro"];
const rw = ["rw"];
const host = { boot: "b", net: "net:[1]", ipc: "ipc:[1]", pid: "pid:[1]", uts: "uts:[1]" };
const own = { boot: "b", net: "net:[2]", ipc: "ipc:[2]", pid: "pid:[2]", uts: "uts:[2]" };
const good: SelfTestFacts = {
  uid: 1000,
  gid: 1000,
  caps: { eff: none, prm: none, inh: none, bnd: none, amb: none },
  no_new_privs: 1,
  seccomp: 2,
  others_limits: false,
  interfaces: ["lo"],
  namespaces: own,
  rootfs_readonly: true,
  mounts: [
    ...["/", "/proc", "/proc/kcore", "/dev", "/dev/shm", "/sys", "/sys/fs/cgroup", "/etc/hosts"].map((dest) => ({
      dest,
      options: rw,
    })),
    ...["/workspace/.git", "/repo", "/etc/passwd", "/etc/group"].map((dest) => ({ dest, options: ro })),
    ...["/workspace", "/tmp", "/home/tilth"].map((dest) => ({ dest, options: rw })),
  ],
  env_names: ["HOME", "HOSTNAME", "LANG", "PATH"],
  readable_outside: [],
};

function failing(change: Partial<SelfTestFacts>): string[] {
  const view = { role: "work", worktree: path } as const;
  const items = receiptItems({ ...good, ...change }, { view, context, imageEnv: ["PATH"], host });
  return items.filter(({ passed }) => !passed).map(({ name, seen }) => `${name}: ${seen}`);
}

test("a correct container passes every item", () => {
  expect(failing({})).toEqual([]);
});

test.each<[string, Partial<SelfTestFacts>, string]>([
  ["a capability", { caps: { ...good.caps, bnd: "00000000a80425fb" } }, "capabilities: bnd=00000000a80425fb"],
  ["privileges to gain", { no_new_privs: 0 }, "no-new-privileges: 0"],
  ["no seccomp", { seccomp: 0 }, "seccomp: mode 0"],
  ["another profile", { others_limits: true }, "other processes: limits can be set"],
  ["a network", { interfaces: ["eth0", "lo"] }, "network: eth0 lo"],
  [
    "the host's network where it has no interface",
    { namespaces: { ...own, net: "net:[1]" } },
    "namespaces: net of the host",
  ],
  ["the host's shared memory", { namespaces: { ...own, ipc: "ipc:[1]" } }, "namespaces: ipc of the host"],
  ["a writable root", { rootfs_readonly: false }, "root file system: writable"],
  ["root", { uid: 0 }, "user: 0:1000"],
  [
    "a mount too many",
    { mounts: [...good.mounts, { dest: "/run/docker.sock", options: rw }] },
    "mounts: besides /run/docker.sock rw",
  ],
  ["a variable of the host", { env_names: [...good.env_names, "API_KEY"] }, "environment: besides API_KEY"],
  ["session state", { readable_outside: ["/home/ada/.tilth/sessions/x"] }, "outside: /home/ada/.tilth/sessions/x"],
])("%s fails exactly the item that it concerns", (_, change, item) => expect(failing(change)).toEqual([item]));

test.each<[string, Partial<SelfTestFacts>]>([
  ["no name of the host, as no engine has to give", { env_names: ["HOME", "LANG", "PATH"] }],
  ["what one podman adds", { env_names: [...good.env_names, "TERM", "container"] }],
  ["what another podman adds", { env_names: [...good.env_names, "container"] }],
  ["a number that another kernel gave too", { namespaces: { ...host, boot: "another" } }],
  ["a kernel that names no namespaces", { namespaces: { boot: "b" } }],
  ["podman's mark of a container", { mounts: [...good.mounts, { dest: "/run/.containerenv", options: ro }] }],
])("a habit of engines fails no item: %s", (_, change) => expect(failing(change)).toEqual([]));

test.each<[string, Partial<SelfTestFacts>, string]>([
  [
    "a mark of a container that can be written, on the host",
    { mounts: [...good.mounts, { dest: "/run/.containerenv", options: rw }] },
    "mounts: besides /run/.containerenv rw",
  ],
  [
    "a mount that an engine adds from the host",
    { mounts: [...good.mounts, { dest: "/run/secrets", options: ro }] },
    "mounts: besides /run/secrets ro",
  ],
  [
    "a proxy of the engine's, with what its address may hold",
    { env_names: [...good.env_names, "HTTP_PROXY"] },
    "environment: besides HTTP_PROXY",
  ],
  [
    "an engine that leaves out what it was given",
    { env_names: ["HOSTNAME", "LANG", "PATH"] },
    "environment: without HOME",
  ],
])("an oddity that is no habit of engines fails its item: %s", (_, change, item) =>
  expect(failing(change)).toEqual([item]),
);

test("a writable repository fails by its mount", () => {
  const mounts = good.mounts.map((mount) => (mount.dest === "/repo" ? { ...mount, options: rw } : mount));
  expect(failing({ mounts })).toEqual(["mounts: without /repo ro, besides /repo rw"]);
});
