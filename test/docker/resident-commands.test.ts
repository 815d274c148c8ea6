import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import { ChannelClosed } from "../../runner/hands/pipe/channel.js";
import { ResidentContainer } from "../helpers/resident-container.js";

let box: ResidentContainer;
beforeAll(async () => {
  box = await ResidentContainer.start();
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
});

async function residentPeakKb(): Promise<number> {
  return Number((await box.bash("awk '/VmHWM/ {print $2}' /proc/1/status")).text);
}

/** Whether it holds in at least one of twenty tries. */
async function once(holds: () => Promise<boolean>): Promise<boolean> {
  for (let at = 0; at < 20; at += 1) if (await holds()) return true;
  return false;
}

describe("a command", () => {
  test("gives exit code, both outputs in order and nothing else", async () => {
    const said = await box.bash("echo out; echo err >&2; printf '\\377'; exit 3");
    expect(said).toMatchObject({ exit: 3, signal: null, timed_out: false, omitted: 0, killed: [] });
    expect((said as unknown as { data: Buffer }).data).toEqual(Buffer.from("out\nerr\n\xff", "latin1"));
  });

  test("has exactly the environment it was given, no input, and dies before the resident when memory runs out", async () => {
    const said = await box.bash("env | sort; cat; cat /proc/self/oom_score_adj", { env: { A: "1", PATH: "/usr/bin" } });
    expect(said.text).toBe("A=1\nPATH=/usr/bin\nPWD=/workspace\nSHLVL=1\n_=/usr/bin/env\n1000\n");
    expect((await box.bash("sleep 0.3; cat /proc/1/oom_score_adj")).text).toBe("0\n");
  });

  test("has no exit code when it dies of a signal", async () => {
    expect(await box.bash("kill -9 $$")).toMatchObject({ exit: null, signal: "SIGKILL" });
  });

  test("keeps head and tail of a gigabyte without growing the resident", async () => {
    const size = 1 << 30;
    const said = await box.bash(`echo HEAD; head -c ${size} /dev/zero; echo TAIL`, { head: 1000, tail: 1000 });
    expect(said.omitted).toBe(size + 10 - 2000);
    expect(said.text.startsWith("HEAD\n") && said.text.endsWith("TAIL\n")).toBe(true);
    expect(await residentPeakKb()).toBeLessThan(20 * 1024);
  });

  test("is refused beside another one, while files, pings and refusals go on", async () => {
    const first = box.bash("until [ -e go ]; do sleep 0.02; done; rm go; echo slow");
    expect(await box.refused("exec", { argv: ["true"], cwd: "/", env: {}, timeout_ms: 1000 })).toMatch(/^busy:/);
    await box.call("write", { path: "beside.txt" }, { input: Buffer.from("x") });
    expect((await box.call("read", { path: "beside.txt", max_bytes: 10 })).data.toString()).toBe("x");
    await box.call("write", { path: "go" });
    expect((await first).text).toBe("slow\n");
  });

  test("is refused when it is too long for a command line or holds a NUL", async () => {
    expect(
      await box.refused("exec", {
        argv: ["true", "x".repeat(200_000)],
        cwd: "/",
        env: { PATH: "/usr/bin" },
        timeout_ms: 1,
      }),
    ).toMatch(/^tool: Too long/);
    expect(
      await box.refused("exec", { argv: ["true", "\0"], cwd: "/", env: { PATH: "/usr/bin" }, timeout_ms: 1 }),
    ).toMatch(/^tool: A NUL/);
  });
});

describe("the kill at a command's end", () => {
  const attacks: readonly (readonly [string, string, RegExp])[] = [
    ["a daemon that holds the output", "sleep 301 & echo started", /sleep 301/],
    ["a session of its own", "setsid nohup sleep 302 >/dev/null 2>&1 & sleep 0.1; echo started", /sleep 302/],
    ["an orphan twice removed", "( ( sleep 303 & ) & ) ; echo started", /sleep 303/],
    ["what ignores SIGTERM", `bash -c 'trap "" TERM HUP INT; exec sleep 304' & sleep 0.1; echo started`, /sleep 304/],
    ["what is stopped", "sleep 305 & sleep 0.1; kill -STOP $!; echo started", /sleep 305/],
    [
      "a process group leader that lost its main thread",
      "python3 -c 'import threading,time,ctypes;threading.Thread(target=time.sleep,args=(306,)).start();ctypes.CDLL(None).pthread_exit(0)' & sleep 0.3; echo started",
      /python3/,
    ],
    [
      "a subreaper's children",
      "python3 -c 'import ctypes,os,time;ctypes.CDLL(None).prctl(36,1,0,0,0);os.fork() or os.fork();time.sleep(307)' & sleep 0.3; echo started",
      /python3/,
    ],
  ];
  test.each(attacks)("leaves nothing alive of %s", async (_, command, named) => {
    const said = await box.bash(command);
    expect(said).toMatchObject({ text: "started\n", timed_out: false });
    expect(said.ms).toBeLessThan(10_000);
    expect(await box.alive()).toEqual([]);
    expect(said.killed.join("\n")).toMatch(named);
  });

  test("leaves nothing alive of a fork bomb", async () => {
    // `read` forks nothing: a shell that cannot fork tries again for fifteen seconds
    const said = await box.bash(
      `mkfifo /tmp/pause; exec 3<>/tmp/pause; :(){ :|:& };:
       until set -- /proc/[0-9]*; [ $# -gt 200 ]; do read -t 0.05 -u 3; done; echo started`,
    );
    expect(said.ms).toBeLessThan(10_000);
    expect(said.killed.length).toBeLessThanOrEqual(21);
    expect(said.killed.at(-1)).toMatch(/^and \d{3,} more$/);
    expect(await box.alive()).toEqual([]);
    expect((await box.bash("echo well")).text).toBe("well\n");
  });

  test("leaves nothing alive of a bomb that forks as fast as it is killed", async () => {
    await box.bash(
      "python3 -c 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass' & sleep 0.5; echo started",
    );
    expect(await box.alive()).toEqual([]);
  });

  test("is needed, because an engine's own exec leaves its daemon alive", async () => {
    await using other = await ResidentContainer.start();
    const exec = await other.container.exec({
      Cmd: ["bash", "-c", "setsid sleep 308 & sleep 0.2"],
      AttachStdout: true,
    });
    const stream = await exec.start({});
    stream.resume();
    await new Promise((resolve) => stream.on("end", resolve));
    expect(await other.alive()).toEqual(["sleep 308"]);
  });

  test("happens after a time-out too, which says so and names what was killed", async () => {
    const said = await box.bash("echo before; trap '' TERM; sleep 309 & sleep 310", { timeout_ms: 300 });
    expect(said).toMatchObject({ timed_out: true, text: "before\n" });
    expect(said.killed.join("\n")).toMatch(/sleep 309/);
    expect(said.ms).toBeLessThan(10_000);
    expect(await box.alive()).toEqual([]);
  });

  test("happens after an abort, before the caller hears of it", async () => {
    const abort = new AbortController();
    const call = box.bash("sleep 311 & setsid sleep 312 & exec sleep 313", {}, { signal: abort.signal });
    const failed = expect(call).rejects.toThrow(Interrupted);
    for (const command of ["sleep 311", "sleep 312", "sleep 313"]) await box.runs(command);
    abort.abort();
    await failed;
    expect(await box.alive()).toEqual([]);
    expect((await box.bash("echo well")).text).toBe("well\n");
  });

  test("gives processes a moment when they need only that to end", async () => {
    const ended = async (command: string) => (await box.bash(command)).killed.length === 0;
    // on a busy machine that gives them no core at that moment, they do not end in time
    expect(await once(() => ended("sleep 0.01 & exit 0"))).toBe(true);
    expect(await once(() => ended("rm -f last.txt; seq 1 20000 > >(tail -n 1 > last.txt)"))).toBe(true);
    expect((await box.bash("cat last.txt")).text).toBe("20000\n");
  });

  test("gives git the time to drop its lock, which git leaves behind when it is killed at once", async () => {
    const made = "git init -q g && cd g && git config user.name a && git config user.email a@b && touch x && git add x";
    const held = "cd g; export GIT_EDITOR='touch /workspace/held; sleep 30 #'; exec git commit -aq";
    const locks = "ls g/.git/*.lock 2>/dev/null; echo end";
    await box.bash(made);
    const atOnce = `(${held}) & until [ -e held ]; do sleep 0.02; done; kill -9 $!; ${locks}`;
    expect((await box.bash(atOnce)).text).toMatch(/index\.lock/);
    await box.bash("rm held g/.git/*.lock");
    const abort = new AbortController();
    const failed = expect(box.bash(held, {}, { signal: abort.signal })).rejects.toThrow(Interrupted);
    await box.has("held");
    abort.abort();
    await failed;
    expect((await box.bash(locks)).text).toBe("end\n");
  });
});

describe("streams", () => {
  test("stop their source when the consumer pauses, and neither side grows", async () => {
    const before = process.memoryUsage().rss;
    let bytes = 0;
    let peak = 0;
    const onData = async (chunk: Uint8Array) => {
      bytes += chunk.length;
      peak = Math.max(peak, process.memoryUsage().rss);
      if (bytes % (16 * 1024 * 1024) < chunk.length) await pause(40);
    };
    const said = await box.call("exec", stream("head -c 268435456 /dev/zero; echo said >&2"), {
      onData,
      mostBytes: Number.POSITIVE_INFINITY,
    });
    expect(said).toMatchObject({ exit: 0, stderr: "said\n" });
    expect(bytes).toBe(268435456);
    expect(peak - before).toBeLessThan(80 * 1024 * 1024);
    expect(await residentPeakKb()).toBeLessThan(20 * 1024);
  });

  test("feed input to the command, as much as it takes", async () => {
    async function* megabytes(count: number) {
      for (let i = 0; i < count; i += 1) yield Buffer.alloc(1024 * 1024, i);
    }
    const counted = await box.call("exec", { ...stream("wc -c"), stdin: true }, { input: megabytes(40) });
    expect(counted.data.toString()).toBe(`${40 * 1024 * 1024}\n`);
    const left = await box.call("exec", { ...stream("head -c 3 | wc -c"), stdin: true }, { input: megabytes(40) });
    expect(left.data.toString()).toBe("3\n");
    expect((await box.call("exec", { ...stream("cat"), stdin: true })).data.length).toBe(0);
  });

  function stream(command: string) {
    return { argv: ["bash", "-c", command], cwd: "/", env: { PATH: "/usr/bin" }, timeout_ms: 30_000, output: "stream" };
  }
});

describe("the resident", () => {
  /** Tries to write to an open file of a victim with the same uid, and to open its memory. */
  const forge = (pid: string) =>
    `(echo forged > /proc/${pid}/fd/1) 2>/dev/null && echo wrote; (exec 3<>/proc/${pid}/mem) 2>/dev/null && echo opened; true`;

  test("cannot be written to, read or ended by what it runs", async () => {
    const naive = await box.bash(`python3 -c 'import time; time.sleep(9)' & sleep 0.2; ${forge("$!")}`);
    expect(naive.text).toBe("forged\nwrote\nopened\n");
    const ours = await box.bash(`${forge("1")}; for s in 1 2 3 9 15 19 20 23; do kill -$s 1; done; echo alive`);
    expect(ours.text).toBe("alive\n");
    expect(await box.bash("kill -9 -1; exit 0")).toMatchObject({ signal: null });
    expect((await box.bash("echo well")).text).toBe("well\n");
  });

  test("refuses to run when it is not process 1", async () => {
    const said = await box.bash("sleep 0.1; python3 -I -S /opt/tilth/resident/__main__.py; echo $?; echo alive");
    expect(said.text).toMatch(/process 1 of a container or not at all\n1\nalive\n$/);
  });

  test("ends when the brain is silent, and at once when it is gone", async () => {
    const silent = await ResidentContainer.start({ lease: 4, heartbeatMs: 60_000 });
    const call = silent.bash("sleep 30");
    await expect(call).rejects.toThrow(/silent for too long/);
    await expect(call).rejects.toThrow(ChannelClosed);
    const left = await ResidentContainer.start();
    const running = left.bash("sleep 30");
    const started = performance.now();
    left.stream.destroy();
    await expect(running).rejects.toThrow(ChannelClosed);
    await left.container.wait().catch(() => {});
    // the lease is a minute
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test("is alone as process 1, in at most 20 MB", async () => {
    await using other = await ResidentContainer.start();
    await other.bash("true");
    const rss = Number((await other.bash("awk '/VmRSS/ {print $2}' /proc/1/status")).text);
    expect(rss).toBeLessThan(20 * 1024);
  });
});
