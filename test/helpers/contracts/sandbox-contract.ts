import { readdirSync, readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import { ResidentRefusal } from "../../../runner/hands/pipe/channel-errors.js";
import { perform } from "../../../runner/hands/pipe/perform.js";
import { operations } from "../../../runner/hands/pipe/wire/operations.js";
import { HandsLost } from "../../../runner/hands/ports/hands.js";
import type { CallOptions, Sandbox } from "../../../runner/hands/ports/sandbox.js";
import type { Opening } from "../../../runner/hands/roles/starts.js";

export interface SandboxWorld extends AsyncDisposable {
  /** Starts one of the role `work`. */
  start(more?: Opening): Promise<Sandbox>;
  /** Ends a sandbox from outside, as whoever has the machine may at any moment. */
  kill(sandbox: Sandbox): Promise<void>;
}

const { signal } = new AbortController();
const within = { signal, timeoutMs: 60_000 };
let sleeps = 0;

/** A command that nobody else on this machine runs. */
function longSleep(): string {
  sleeps += 1;
  return `sleep ${Date.now()}${sleeps}`;
}

/** Sandboxes of an engine on another machine are not in this list. */
function isRunning(command: string): boolean {
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && commandOf(pid) === command);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return "";
  }
}

function exec(sandbox: Sandbox, command: string, more: Partial<CallOptions> = {}) {
  const argv = ["/bin/bash", "-c", command];
  const place = { cwd: "/workspace", env: { PATH: "/usr/bin:/bin" }, timeout_ms: 30_000, disk_bytes: 0 };
  const args = { argv, ...place, output: "stream" as const, stdin: more.input !== undefined };
  return perform(sandbox, operations.stream, args, { ...within, ...more });
}

/** Holds one implementation of Sandbox to its contract. */
export function sandboxContract(name: string, makeWorld: () => Promise<SandboxWorld>): void {
  describe(name, () => {
    let world: SandboxWorld;
    let shared: Sandbox;
    let answer: (connection: Duplex) => unknown = (connection) => connection.destroy();

    beforeAll(async () => {
      world = await makeWorld();
      shared = await world.start({ onConnection: (connection) => void answer(connection), openTo: ["here"] });
    });
    afterAll(async () => {
      await shared?.[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
    });

    test("it has its role, and the proof that it was started with", () => {
      expect(shared).toMatchObject({ role: "work", isLost: false, endedAsleep: false });
      expect(shared.receipt).toMatchObject({ passed: true, openTo: ["here"] });
      expect(shared.receipt.items.length).toBeGreaterThan(0);
    });

    test("a call takes bytes in, and gives bytes and a result", async () => {
      const chunks: Uint8Array[] = [];
      const input = Buffer.alloc(700_000, "abcdefg");
      const result = await exec(shared, "cat; exit 3", { input, onData: (chunk) => void chunks.push(chunk) });
      expect(result).toMatchObject({ exit: 3, timed_out: false });
      expect(Buffer.concat(chunks).equals(input)).toBe(true);
    });

    test("bytes are taken one after the other, and calls do not mix", async () => {
      let open = 0;
      const slowly = async () => {
        open += 1;
        expect(open).toBe(1);
        await pause(1);
        open -= 1;
      };
      const none = { path: "none", offset: null, limit: null, max_bytes: 1, withhold: null };
      const [read] = await Promise.all([
        perform(shared, operations.read, none, within).catch((error: unknown) => error),
        exec(shared, "head -c 2000000 /dev/zero", { onData: slowly }),
      ]);
      expect(read).toBeInstanceOf(ResidentRefusal);
    });

    test("a refused call says why, and the sandbox goes on", async () => {
      await expect(shared.call("nonsense", {}, within)).rejects.toBeInstanceOf(ResidentRefusal);
      expect(await exec(shared, "true")).toMatchObject({ exit: 0 });
    });

    test("an interrupted call fails once its processes are dead, and the sandbox goes on", async () => {
      const command = longSleep();
      const stop = new AbortController();
      const running = exec(shared, `echo up; exec ${command}`, { signal: stop.signal, onData: () => stop.abort() });
      await expect(running).rejects.toBeInstanceOf(Interrupted);
      expect(isRunning(command)).toBe(false);
      await expect(exec(shared, "true", { signal: stop.signal })).rejects.toBeInstanceOf(Interrupted);
      expect(await exec(shared, "true")).toMatchObject({ exit: 0 });
    });

    test("what the taker of bytes throws ends the call, and nothing else", async () => {
      const command = longSleep();
      const full = new Error("no room for this");
      const refuse = () => {
        throw full;
      };
      await expect(exec(shared, `echo up; exec ${command}`, { onData: refuse })).rejects.toBe(full);
      expect(isRunning(command)).toBe(false);
      expect(shared.isLost).toBe(false);
    });

    test("a program reaches whoever the sandbox is open to, both ways", async () => {
      const { port } = await perform(shared, operations.listen, {}, within);
      const chunks: Uint8Array[] = [];
      const command = `exec 5<>/dev/tcp/127.0.0.1/${port}; echo question >&5; read answer <&5; echo "got $answer"`;
      answer = (connection) => connection.once("data", (question) => connection.end(`answer to ${question}`));
      await exec(shared, command, { onData: (chunk) => void chunks.push(chunk) });
      expect(Buffer.concat(chunks).toString("utf8")).toBe("got answer to question\n");
    });

    test("one that sends more than a call may have is ended", async () => {
      await using sandbox = await world.start();
      const flooding = exec(sandbox, "head -c 1000000 /dev/zero", { mostBytes: 1000, onData: () => undefined });
      await expect(flooding).rejects.toBeInstanceOf(HandsLost);
      expect(sandbox.isLost).toBe(true);
    });

    test("one that goes away under a call is lost: every call says so, once all of it is dead", async () => {
      const command = longSleep();
      await using sandbox = await world.start();
      const call = exec(sandbox, `echo up; exec ${command}`, { onData: () => void world.kill(sandbox) });
      await expect(call).rejects.toMatchObject({ name: "HandsLost", role: "work", asleep: false });
      expect([sandbox.isLost, sandbox.endedAsleep, isRunning(command)]).toEqual([true, false, false]);
      await expect(exec(sandbox, "true")).rejects.toBeInstanceOf(HandsLost);
    });

    test("once it is disposed everything in it is dead, and disposing again is harmless", async () => {
      const command = longSleep();
      const sandbox = await world.start();
      let ended: PromiseLike<void> = Promise.resolve();
      const end = () => {
        expect(isRunning(command) || process.platform !== "linux").toBe(true);
        ended = sandbox[Symbol.asyncDispose]();
      };
      const up = `${command} & sleep 0.1; echo up; wait`;
      await expect(exec(sandbox, up, { onData: end })).rejects.toBeInstanceOf(HandsLost);
      await ended;
      await sandbox[Symbol.asyncDispose]();
      expect([sandbox.isLost, isRunning(command)]).toEqual([true, false]);
    });
  });
}
