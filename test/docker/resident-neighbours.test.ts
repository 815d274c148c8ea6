import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChannelClosed } from "../../runner/hands/pipe/channel.js";
import { python, ResidentContainer } from "../helpers/resident-container.js";

const helper = (name: string) => fileURLToPath(new URL(`../helpers/${name}`, import.meta.url));
const programs = ["neighbour.py", "hoard.py", "tiny-zygote.py"];
const binds = programs.map((name) => `${helper(name)}:/opt/${name}:ro`);

const user = 10_077;

let ours: ResidentContainer;
let open: ResidentContainer;
beforeAll(async () => {
  const options = { binds, user };
  [ours, open] = await Promise.all([
    ResidentContainer.start(options),
    ResidentContainer.start({ ...options, open: true }),
  ]);
});
afterAll(async () => {
  await ours[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

/** The ways that had an effect. */
function did(said: string): string[] {
  const ways = JSON.parse(said.slice(said.indexOf('{"'))) as Record<string, boolean>;
  return Object.keys(ways).filter((way) => ways[way]);
}

function all(said: string): string[] {
  return Object.keys(JSON.parse(said.slice(said.indexOf('{"'))) as object);
}

/** Runs a program through the engine beside the resident, which then cannot see it. */
async function beside(box: ResidentContainer, ...Cmd: string[]): Promise<string> {
  const exec = await box.container.exec({ Cmd, AttachStdout: true });
  const chunks: Buffer[] = [];
  for await (const chunk of await exec.start({})) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

async function zygoteOf(box: ResidentContainer): Promise<number> {
  const argv = [python, "-I", "-S", "/opt/tiny-zygote.py"];
  return (await box.call("zygote", { argv, env: {} })).pid as number;
}

const payload = (text: string) => ({ payload: text, timeout_ms: 20_000, head: 999, tail: 999 });
const neighbour = "/opt/neighbour.py";

describe("a process of the resident's own user", () => {
  test("can do nothing to the resident of what it can do to any other process", async () => {
    const naive = await beside(open, python, neighbour, "victim");
    expect(did(naive)).toEqual(all(naive));
    const said = await ours.bash(`python3 ${neighbour} 1`);
    expect(all(said.text)).toEqual(all(naive));
    expect(did(said.text)).toEqual([]);
    expect((await ours.bash("echo well")).text).toBe("well\n");
  });

  test("can do no more to a zygote than end or stop it, and then the zygote is replaced", async () => {
    const zygote = await zygoteOf(ours);
    const said = await ours.bash(`python3 ${neighbour} ${zygote}`);
    expect(did(said.text).filter((way) => !way.startsWith("SIG"))).toEqual([]);
    expect(did(said.text)).not.toEqual([]);
    const again = await ours.call("zygote_call", payload("report.write(b'again')"));
    expect([again.zygote_restarted, again.data.toString()]).toEqual([true, "again"]);
  });

  test.each([
    ["lower limits", "ulimit -n 64; ulimit -n", "64"],
    ["no room for files", "{ (ulimit -f 1; head -c 9999 /dev/zero > f) || echo full; } 2> /dev/null", "full"],
    ["prlimit", "prlimit --nofile=64 sh -c 'ulimit -n'", "64"],
    ["nice", "nice -n 7 nice", "7"],
    ["taskset", "taskset -c 0 nproc", "1"],
    ["chrt", "chrt --batch 0 sh -c 'chrt -p $$' | grep -o SCHED_BATCH", "SCHED_BATCH"],
    ["ionice", "ionice -c3 ionice", "idle"],
    ["timeout", "timeout 0.1 sleep 9 || echo $?", "124"],
    ["the limits of another, to look at", "prlimit --pid 1 --nofile --noheadings -o HARD", "8192"],
  ])("works as usual with %s", async (_, command, said) => {
    const { text, exit } = await ours.bash(command);
    expect([text.trim(), exit]).toEqual([said, 0]);
  });

  test("works as usual with Python's own limits, priorities, cores and threads", async () => {
    const program = `
import os, resource, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))
resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
os.setpriority(os.PRIO_PROCESS, 0, 3)
os.nice(2)
threads = [threading.Thread(target=os.nice, args=(1,)) for _ in range(9)]
[t.start() for t in threads]
[t.join() for t in threads]
print(resource.getrlimit(resource.RLIMIT_NOFILE), os.sched_getscheduler(0) == os.SCHED_BATCH, os.nice(0))`;
    expect((await ours.bash(`python3 - <<'END'${program}\nEND`)).text).toBe("(99, 99) True 5\n");
  });
});

describe("a resource that is counted for the user as a whole", () => {
  const ways = [...readFileSync(helper("hoard.py"), "utf8").matchAll(/^ {4}"([^"]+)": \(/gm)].map(([, way]) => way);

  test.each(ways)("is given back when its command ends: %s", async (way) => {
    const { text, exit, killed } = await ours.bash(`python3 /opt/hoard.py '${way}'`);
    expect([text, exit]).toEqual(["short", 0]);
    expect(killed.join()).toContain("hoard.py");
    expect((await ours.alive()).filter((args) => !args.includes("zygote"))).toEqual([]);
    expect((await ours.bash("echo well")).text).toBe("well\n");
  });

  test("that outlives processes is given back at the latest when the container is wiped", async () => {
    await ours.call("reset", {});
    const { text } = await ours.bash("ls /tmp ~ /dev/shm /dev/mqueue -A | grep -v :; ipcs | grep -c '^0x'");
    expect(text.trim()).toBe("0");
  });
});

describe("the resident on an engine with another profile", () => {
  /** A command that keeps the resident from opening anything, from before the command's end on. */
  const starving = `
import os, resource, time
if os.fork(): os._exit(0)
os.setsid()
null = os.open("/dev/null", 2)
for n in (0, 1, 2): os.dup2(null, n)
hard = resource.prlimit(1, resource.RLIMIT_NOFILE)[1]
resource.prlimit(1, resource.RLIMIT_NOFILE, (4, hard))
open("/workspace/ready", "w").close()
while True: time.sleep(60)`;
  /** A supervisor that opens files only when it needs them. */
  const naive = `
import os, resource
pid = os.fork()
if pid == 0:
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (4, 4))
    os._exit(0)
os.waitpid(pid, 0)
null = os.open("/dev/null", os.O_RDONLY)
try: print(len(os.listdir("/proc")))
except OSError: print("blind")`;
  const starved = `python3 - <<'END'${starving}\nEND\nuntil [ -e ready ]; do sleep 0.01; done`;

  test("ends its container when it cannot see whether anything is alive, and replaces a harmed zygote", async () => {
    await using box = await ResidentContainer.start({ binds, user, open: true });
    expect(await beside(box, python, "-c", naive)).toContain("blind");
    await zygoteOf(box);
    const harm = "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))";
    expect((await box.call("zygote_call", payload(harm))).zygote_restarted).toBe(true);
    expect((await box.call("zygote_call", payload("report.write(b'again')"))).data.toString()).toBe("again");
    const call = box.bash(starved);
    await expect(call).rejects.toThrow(/it could not be seen whether everything of a command is dead/);
    await expect(call).rejects.toThrow(ChannelClosed);
    await expect(box.alive()).rejects.toThrow();
  });

  test("ends its container when its limits or priority were changed", async () => {
    // ended by its neighbour, above
    await expect(open.bash("true")).rejects.toThrow(/resident ended: resident: a command changed the limits/);
    await expect(open.alive()).rejects.toThrow();
  });
});

test("a caller that asks whether a container is empty is told so, and refused while a command runs", async () => {
  const running = ours.bash("touch begun; sleep 600", { timeout_ms: 1_000 });
  await ours.has("begun");
  expect(await ours.refused("quiet", {})).toMatch(/^busy:/);
  await running;
  expect(await ours.call("quiet", {})).toMatchObject({ ok: true });
});
