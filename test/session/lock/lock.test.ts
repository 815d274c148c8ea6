import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type FileIo, nodeIo } from "../../../runner/disk/file-io.js";
import { type ProcessIdentity, type ProcessTable, systemProcesses } from "../../../runner/disk/processes.js";
import { lockHolder, SessionLock } from "../../../runner/session/lock/lock.js";
import { faultyIo } from "../../helpers/faulty-io.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";

const machine: ProcessIdentity = {
  pid: 1,
  started: "11",
  boot_id: "boot",
  pid_ns: "pid:[1]",
  host: "here",
  machine: "m",
};

/** Process `pid` of a machine on which only `alive` run. */
function processOf(pid: number, alive: Set<number>, over: Partial<ProcessIdentity> = {}): ProcessTable {
  return {
    self: () => ({ ...machine, pid, started: `${pid}${pid}`, ...over }),
    look: (other) => ({ alive: alive.has(other), started: `${other}${other}` }),
  };
}

function newLockPath(): string {
  return join(scratch(), "lock");
}

/** A lock whose holder died without a word. */
function staleLock(path: string, over: Partial<ProcessIdentity> = {}): void {
  const io: FileIo = { ...nodeIo };
  const lock = SessionLock.acquire(path, { io, processes: processOf(99, new Set([99]), over) });
  io.open = () => {
    throw new Error("dead");
  };
  lock[Symbol.dispose]();
  expect(existsSync(path)).toBe(true);
}

function age(path: string, seconds: number): void {
  const then = new Date(Date.now() - seconds * 1000);
  const record = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...record, heartbeat: then.toISOString() }));
  utimesSync(path, then, then);
}

describe("a session's lock", () => {
  it("goes to one process at a time, and the second is told who has it and what to do", () => {
    const path = newLockPath();
    const first = SessionLock.acquire(path);
    expect(first.takenOver).toBeNull();
    const error = thrownBy(() => SessionLock.acquire(path));
    expect(error).toMatchObject({
      code: "busy",
      message: expect.stringContaining(`process ${process.pid}`),
      hint: expect.stringContaining("kill"),
    });
    expect(lockHolder(path)).toMatchObject({ pid: process.pid });
    first[Symbol.dispose]();
    expect(lockHolder(path)).toBeNull();
    using second = SessionLock.acquire(path);
    expect(second.takenOver).toBeNull();
    expect(readdirSync(join(path, ".."))).toEqual(["lock"]);
  });

  it("is taken over from a dead process, and the holder and the reason are reported", () => {
    const path = newLockPath();
    staleLock(path);
    using lock = SessionLock.acquire(path, { processes: processOf(1, new Set([1])) });
    expect(lock.takenOver).toMatchObject({ reason: "process 99 is gone", holder: { pid: 99, host: "here" } });
    expect(readdirSync(join(path, ".."))).toEqual(["lock"]);
  });

  const me = new Set([1, 99]);
  it.each([
    ["a process with the same id started at another time", { started: "earlier" }, 0, "another one now"],
    ["the machine was restarted", { boot_id: "before" }, 0, "restarted"],
    ["another pid namespace, no heartbeat for a minute", { pid_ns: "pid:[2]" }, 61, "no heartbeat"],
    ["the system does not tell start times, no heartbeat for a minute", { started: null }, 61, "no heartbeat"],
  ])("is stale: %s", (_, over, seconds, reason) => {
    const path = newLockPath();
    staleLock(path, over);
    age(path, seconds);
    using lock = SessionLock.acquire(path, { processes: processOf(1, me) });
    expect(lock.takenOver?.reason).toContain(reason);
  });

  it.each([
    ["the same process, however old its heartbeat: it may have been stopped", {}, 3600],
    ["another pid namespace with a heartbeat", { pid_ns: "pid:[2]" }, 50],
    ["another host, however old: nobody here can tell", { boot_id: "other", host: "there", machine: "n" }, 1e6],
    ["a cloned host of the same name", { boot_id: "other", machine: "n" }, 1e6],
  ])("is held: %s", (_, over, seconds) => {
    const path = newLockPath();
    staleLock(path, over);
    age(path, seconds);
    expect(thrownBy(() => SessionLock.acquire(path, { processes: processOf(1, me) }))).toMatchObject({ code: "busy" });
  });

  it("names its file when only the person can know whether the other host still runs", () => {
    const path = newLockPath();
    staleLock(path, { boot_id: "other", host: "there", machine: "n" });
    expect(thrownBy(() => SessionLock.acquire(path, { processes: processOf(1, me) }))).toMatchObject({
      hint: expect.stringContaining(path),
    });
  });

  it("that cannot be read counts as busy while it is young, and as stale after a minute", () => {
    const path = newLockPath();
    writeFileSync(path, "");
    expect(thrownBy(() => SessionLock.acquire(path))).toMatchObject({
      code: "busy",
      message: expect.stringContaining(path),
    });
    utimesSync(path, new Date(0), new Date(0));
    using lock = SessionLock.acquire(path);
    expect(lock.takenOver?.reason).toContain("could not be read");
  });

  it.each([
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link to a lock elsewhere", (path: string) => symlinkSync(`${path}-elsewhere`, path)],
    ["a link to nothing", (path: string) => symlinkSync(`${path}-nothing`, path)],
    ["garbage", (path: string) => writeFileSync(path, "\u0000\u00ff{]")],
    ["too big", (path: string) => writeFileSync(path, "x".repeat(20_000))],
    ["a lock of a later version", (path: string) => writeFileSync(path, JSON.stringify({ v: 2, pid: 1 }))],
  ])("that is %s is named with one remedy, at once and without touching it", (_, plant) => {
    const path = newLockPath();
    staleLock(`${path}-elsewhere`);
    plant(path);
    const before = lstatSync(path);
    const error = thrownBy(() => SessionLock.acquire(path));
    expect(error).toMatchObject({ message: expect.stringContaining(path), hint: expect.stringMatching(/./) });
    expect(error).toMatchObject({ code: before.isFile() ? "busy" : "usage" });
    expect(lstatSync(path).ino).toBe(before.ino);
    expect(readdirSync(join(path, "..")).filter((name) => !name.startsWith("lock-elsewhere"))).toEqual(["lock"]);
  });

  it("tells its holder when it is lost, and is not removed by a former holder", () => {
    const path = newLockPath();
    const slept = SessionLock.acquire(path, { processes: processOf(2, me, { pid_ns: "pid:[2]" }) });
    slept.assertHeld();
    age(path, 61);
    using next = SessionLock.acquire(path, { processes: processOf(1, me) });
    slept.beat();
    expect(slept.lost.aborted).toBe(true);
    expect(thrownBy(() => slept.assertHeld())).toMatchObject({ code: "busy" });
    slept[Symbol.dispose]();
    next.assertHeld();
  });

  it("shows a heartbeat in a file that stays whole", () => {
    const path = newLockPath();
    let now = new Date(0);
    using lock = SessionLock.acquire(path, { clock: { now: () => now } });
    now = new Date(5000);
    lock.beat();
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      taken_at: "1970-01-01T00:00:00.000Z",
      heartbeat: "1970-01-01T00:00:05.000Z",
    });
    unlinkSync(path);
    expect(thrownBy(() => lock.assertHeld())).toMatchObject({ code: "busy" });
  });
});

type Taker = (path: string, io: FileIo, processes: ProcessTable) => void;

const ours: Taker = (path, io, processes) => void SessionLock.acquire(path, { io, processes });

/** The usual way: removes a lock that it found stale, then makes its own. */
const naive: Taker = (path, io, processes) => {
  if (existsSync(path)) {
    if (processes.look(JSON.parse(readFileSync(path, "utf8")).pid).alive) throw new Error("busy");
    io.unlink(path);
  }
  const fd = io.open(path, 0o301, 0o600);
  io.write(fd, Buffer.from(JSON.stringify({ pid: processes.self().pid })), null);
  io.close(fd);
};

/** Runs `then` before and after the `nth` operation. */
function interleaved(nth: number, then: () => void): FileIo {
  let count = 0;
  const around =
    <A extends unknown[], R>(act: (...args: A) => R) =>
    (...args: A): R => {
      count += 1;
      if (count * 2 - 1 === nth) then();
      const result = act(...args);
      if (count * 2 === nth) then();
      return result;
    };
  return {
    open: around(nodeIo.open),
    write: around(nodeIo.write),
    sync: around(nodeIo.sync),
    truncate: around(nodeIo.truncate),
    close: nodeIo.close,
    rename: around(nodeIo.rename),
    link: around(nodeIo.link),
    unlink: around(nodeIo.unlink),
  };
}

/**
 * The number of three processes that hold a stale lock in the end; the second breaks into the first, and the third into
 * the second.
 */
function holders(taker: Taker, first: number, second: number): number {
  const path = newLockPath();
  staleLock(path);
  const alive = new Set([1, 2, 3]);
  let held = 0;
  const attempt = (pid: number, io: FileIo): void => {
    try {
      taker(path, io, processOf(pid, alive));
      held += 1;
    } catch {
      // one of the others has it
    }
  };
  const third = interleaved(second, () => attempt(3, nodeIo));
  attempt(
    1,
    interleaved(first, () => attempt(2, third)),
  );
  return held;
}

describe("races for a stale lock", () => {
  const steps = Array.from({ length: 26 }, (_, index) => index + 1);

  it("have one winner, wherever the second interrupts the first and the third the second", () => {
    for (const first of steps)
      for (const second of steps) expect([first, second, holders(ours, first, second)]).toEqual([first, second, 1]);
  });

  it("have two winners when a naive take-over removes the stale lock first", () => {
    expect(steps.some((first) => holders(naive, first, 100) > 1)).toBe(true);
  });

  it("leave the lock to the next process, wherever the first is killed", () => {
    for (let nth = 1; ; nth += 1) {
      const path = newLockPath();
      staleLock(path);
      const faulty = faultyIo(nth, "kill");
      try {
        SessionLock.acquire(path, { io: faulty.io, processes: processOf(1, new Set([1])) });
      } catch {
        // it has to throw
      }
      if (!faulty.happened()) return;
      using next = SessionLock.acquire(path, { processes: processOf(2, new Set([2])) });
      next.assertHeld();
    }
  });

  it("have one winner among real processes after a real kill", async () => {
    const path = newLockPath();
    const dead = await racer(path, 0);
    expect(dead.said).toBe("held free");
    dead.child.kill("SIGKILL");
    await once(dead.child, "exit");

    const at = Date.now() + 2500;
    const all = await Promise.all([1, 2, 3, 4].map(() => racer(path, at)));
    const winners = all.filter(({ said }) => said.startsWith("held"));
    expect(winners.map(({ said }) => said)).toEqual([`held process ${dead.child.pid} is gone`]);
    expect(lockHolder(path)?.pid).toBe(winners[0]?.child.pid);
    const gone = winners.map(({ child }) => once(child, "exit"));
    for (const { child } of winners) child.stdin?.end();
    await Promise.all(gone);
    expect(existsSync(path)).toBe(false);
  });
});

it("a process recognises itself, and sees that others are gone", () => {
  const self = systemProcesses.self();
  expect(systemProcesses.look(process.pid)).toEqual({ alive: true, started: self.started });
  expect(systemProcesses.look(2 ** 22 + 1).alive).toBe(false);
});

async function racer(path: string, at: number): Promise<{ child: ChildProcess; said: string }> {
  const script = fileURLToPath(new URL("../lock-racer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, path, String(at)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [chunk] = await once(child.stdout, "data");
  return { child, said: String(chunk).trim() };
}
