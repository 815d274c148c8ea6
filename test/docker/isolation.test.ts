import { afterAll, beforeAll, expect, test } from "vitest";
import { constantFiles } from "../../runner/hands/docker/container/constant-files.js";
import { ownNamespaces } from "../../runner/hands/docker/container/namespaces.js";
import { receiptItems } from "../../runner/hands/docker/container/self-test.js";
import { perform } from "../../runner/hands/pipe/perform.js";
import { operations } from "../../runner/hands/pipe/wire/operations.js";
import { containerIdentity } from "../../runner/hands/ports/identity.js";
import { DockerWorld } from "../helpers/docker-world.js";
import { NaiveContainer } from "../helpers/naive-container.js";

const { signal } = new AbortController();
let world: DockerWorld;
let naive: NaiveContainer;

beforeAll(async () => {
  world = await DockerWorld.open();
  naive = await NaiveContainer.start(world);
});

afterAll(async () => {
  await naive?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

async function inWork(command: string): Promise<string> {
  const { head, tail } = await world.hands.work.bash(command, 20_000, signal);
  return Buffer.concat([head, tail]).toString("utf8");
}

test("a work container proves its isolation, item by item", async () => {
  const receipt = await world.hands.work.start(signal);
  expect(receipt.items.filter(({ passed }) => !passed)).toEqual([]);
  expect(receipt.passed).toBe(true);
  expect(receipt.items.map(({ name }) => name)).toContain("capabilities");
});

test("the same proof names everything that a naive container lacks", async () => {
  const probe = ["/session"];
  const facts = await perform(naive.channel, operations.self_test, { probe }, { signal, timeoutMs: 20_000 });
  const identity = containerIdentity();
  const context = {
    session: world.session,
    owner: "{}",
    imageId: world.hands.image.id,
    identity,
    sandbox: world.settings.sandbox,
    engineCpus: 2,
    dialect: "docker" as const,
    constants: constantFiles(world.settings.home, identity),
    leaseSeconds: 60,
  };
  const view = { role: "work", worktree: world.worktree } as const;
  const items = receiptItems(facts, { view, context, imageEnv: [], host: ownNamespaces() });
  expect(items.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual([
    "capabilities",
    "no-new-privileges",
    "seccomp",
    "other processes",
    "network",
    "namespaces",
    "root file system",
    "user",
    "mounts",
    "environment",
    "outside",
  ]);
});

const kernelDoors = `python3 - <<'END'
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
def door(name, way):
    try: print(name, "open" if way() >= 0 else "shut")
    except OSError: print(name, "shut")
door("vsock", lambda: socket.socket(40, socket.SOCK_STREAM).fileno())
door("ptrace", lambda: libc.ptrace(0, 0, 0, 0))
door("unshare", lambda: libc.unshare(0x10000000))
door("keyctl", lambda: libc.syscall({"x86_64": 250, "aarch64": 219}[__import__("os").uname().machine], 0, -3, 1))
END`;

test("doors of the kernel that a naive container leaves open are shut", async () => {
  const doors = ["vsock", "ptrace", "unshare", "keyctl"];
  const open = await naive.bash(kernelDoors);
  expect(doors.filter((door) => open.includes(`${door} open`)).length, open).toBeGreaterThanOrEqual(3);
  expect(await inWork(kernelDoors)).toBe(doors.map((door) => `${door} shut\n`).join(""));
});

test("session state that a naive container shows is not visible", async () => {
  expect(await naive.bash("cat /session/prd.json")).toContain("PRDCANARY");
  const home = world.settings.home;
  const looks = [`cat ../prd.json`, `ls ${home}`, `find / -xdev -name prd.json -readable 2>/dev/null`, `env`];
  const seen = await inWork(`${looks.join("; ")}; cat /proc/1/environ`);
  expect(seen).not.toContain("PRDCANARY");
  expect(seen).not.toContain("/prd.json\n");
});

test(".git can be replaced in a naive container, and cannot in ours", async () => {
  expect(await naive.bash("mv .git .git2 && mkdir .git && echo replaced && rm -r .git && mv .git2 .git")).toContain(
    "replaced",
  );
  const attempts = [
    "rm -rf .git",
    "mv .git x",
    "ln -sfn /tmp .git",
    "echo evil > .git",
    "umount .git",
    "mkdir x && mv -T x .git",
  ];
  const said = await inWork(`${attempts.map((each) => `{ ${each}; }`).join("; ")}; cat .git`);
  expect(said).toContain("gitdir: /home/tilth/.scratch.git\n");
  expect(said).not.toContain("evil\n");
});

test("only the worktree and memory can be written, and no network leads anywhere", async () => {
  const said = await inWork(
    "for d in / /etc /usr/bin /opt/tilth /repo /var/tmp /home; do touch $d/x 2>/dev/null && echo wrote $d; done; touch a /tmp/b ~/c && echo fine; rm a; cut -d: -f1 /proc/net/dev | tail -n +3",
  );
  expect(said.replaceAll(" ", "")).toBe("fine\nlo\n");
});
