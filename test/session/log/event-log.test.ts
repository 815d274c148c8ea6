import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TilthError } from "../../../runner/base/errors.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import { readEvents } from "../../../runner/session/log/event-reader.js";
import type { TilthEvent } from "../../../runner/session/log/events.js";
import { faultyIo } from "../../helpers/faulty-io.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";
import { inTask, oid } from "../event-fixtures.js";

const same = (text: string) => text;
const note = (log: EventLog, content: string) =>
  log.append("tool_result", { tool: "bash", call_id: "c1", content, ms: 1 });

async function all(path: string): Promise<TilthEvent[]> {
  const events: TilthEvent[] = [];
  for await (const event of readEvents(path)) events.push(event);
  return events;
}

function newPath(): string {
  return join(scratch(), "events.jsonl");
}

describe("an event log", () => {
  it("gives every event the next number, even after it was opened again", async () => {
    const path = newPath();
    for (const round of ["a", "b"]) {
      using log = EventLog.open(path, same);
      note(log, `${round}1`);
      // longer than one step of the search for the last line
      note(log, `${round}2`.padEnd(200_000, "x"));
    }
    const events = await all(path);
    expect(events.map((event) => event.seq)).toEqual([0, 1, 2, 3]);
    expect(events.every((event) => event.v === 1 && event.type === "tool_result")).toBe(true);
  });

  it("masks keys in every text at any depth, names of fields included, and leaves the rest as it is", async () => {
    const path = newPath();
    using log = EventLog.open(path, (text) => text.replaceAll("sk-secret", "***"));
    const args = JSON.parse(
      '{"a": ["x sk-secret y", {"sk-secret": 1}], "__proto__": {"p": true}, "n": null, "big": 1e300}',
    );
    log.append("tool_call", { tool: "bash", call_id: "c1", args });
    expect(readFileSync(path, "utf8")).not.toContain("sk-secret");
    expect(readFileSync(path, "utf8")).toContain(
      '"args":{"a":["x *** y",{"***":1}],"__proto__":{"p":true},"n":null,"big":1e+300}',
    );
  });

  it("accepts arguments nested deeper than a stack, and says so in their place", async () => {
    const path = newPath();
    using log = EventLog.open(path, same);
    log.append("tool_call", { tool: "bash", call_id: "c1", args: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) });
    expect(readFileSync(path, "utf8")).toContain("nested deeper");
    expect(await all(path)).toHaveLength(1);
  });

  it("refuses a malformed payload, and writes nothing of it", () => {
    const path = newPath();
    using log = EventLog.open(path, same);
    const error = thrownBy(() => log.append("commit", { ...inTask("T-001", 1), sha: "main", tree: oid("1") }));
    expect(error).not.toBeInstanceOf(TilthError);
    expect(String(error)).toContain("sha");
    expect(readFileSync(path, "utf8")).toBe("");
  });

  it("tells listeners what was written until they stop listening", () => {
    using log = EventLog.open(newPath(), (text) => text.replaceAll("sk-secret", "***"));
    const heard: TilthEvent[] = [];
    const done = log.onEvent((event) => heard.push(event));
    note(log, "sk-secret");
    done();
    note(log, "unheard");
    expect(heard).toMatchObject([{ seq: 0, payload: { content: "***" } }]);
  });

  it("is durable after the events that state relies on, before append returns", () => {
    const { io, calls } = faultyIo(Number.POSITIVE_INFINITY, "error");
    using log = EventLog.open(newPath(), same, { io });
    calls.length = 0;
    note(log, "plain");
    expect(calls).toEqual(["write"]);
    const at = { ...inTask("T-001", 1), sha: oid("1"), tree: oid("2") };
    log.append("commit_prepared", at);
    log.append("commit", at);
    log.append("stop", { reason: "all_done", detail: "", hint: "" });
    expect(calls.slice(1)).toEqual(["write", "sync", "write", "sync", "write", "sync"]);
  });
});

describe("a torn tail", () => {
  it.each([
    ["half a line", '{"v":1,"seq":1,"ts":"2025'],
    [
      "a whole line that lacks only its line break",
      '{"v":1,"seq":1,"ts":"2025-01-01T00:00:00.000Z","type":"torn_tail","payload":{"bytes":1}}',
    ],
    ["what a power cut left", `${"\0".repeat(300)}"}}\n`],
  ])("is kept beside the log, logged, and swallows no later line: %s", async (_, tail) => {
    const path = newPath();
    {
      using log = EventLog.open(path, same);
      note(log, "whole");
    }
    appendFileSync(path, tail);
    expect((await all(path)).map((event) => event.type)).toEqual(["tool_result"]);
    expect(readFileSync(path, "utf8").endsWith(tail)).toBe(true);

    using log = EventLog.open(path, same);
    note(log, "after");
    const events = await all(path);
    expect(events.map((event) => [event.seq, event.type])).toEqual([
      [0, "tool_result"],
      [1, "torn_tail"],
      [2, "tool_result"],
    ]);
    expect(events[1]?.payload).toEqual({ bytes: Buffer.byteLength(tail) });
    expect(readFileSync(path.replace(".jsonl", ".torn"), "utf8")).toBe(tail);
  });

  it("would cost the line after it too if that were just appended", async () => {
    const path = newPath();
    writeFileSync(path, '{"v":1,"seq":0');
    appendFileSync(
      path,
      `${JSON.stringify({ v: 1, seq: 1, ts: "2025-01-01T00:00:00.000Z", type: "torn_tail", payload: { bytes: 1 } })}\n`,
    );
    expect(await all(path)).toEqual([]);
  });
});

describe("faults while the log is written", () => {
  /**
   * Appends until the fault, then goes on as a session does: with `stop` if it can, and with a new process after that.
   */
  function contents(nth: number, how: "error" | "kill") {
    const path = newPath();
    const faulty = faultyIo(nth, how);
    const written: string[] = [];
    let failure: unknown = null;
    try {
      using log = EventLog.open(path, same, { io: faulty.io });
      for (const content of ["one", "two", "three"]) {
        note(log, content);
        written.push(content);
      }
      log.append("stop", { reason: "all_done", detail: "", hint: "" });
      written.push("stop");
    } catch (error) {
      failure = error;
    }
    return { path, written, failure, happened: faulty.happened() };
  }

  it.each(["error", "kill"] as const)(
    "never lose a line that was written, at whichever operation they happen: %s",
    async (how) => {
      for (let nth = 1; ; nth += 1) {
        const { path, written, failure, happened } = contents(nth, how);
        if (!happened) return expect(nth).toBeGreaterThan(7);
        if (how === "error") expect(failure).toMatchObject({ code: "infra", message: expect.stringContaining(path) });
        if (!existsSync(path)) continue;
        using next = EventLog.open(path, same);
        note(next, "next");
        const events = (await all(path)).filter((event) => event.type !== "torn_tail");
        const seen = events.map((event) => (event.type === "tool_result" ? event.payload.content : event.type));
        expect(seen.slice(0, written.length)).toEqual(written);
        expect(seen.at(-1)).toBe("next");
        // at most the event that was being written when the fault came
        expect(seen.length - 1 - written.length).toBeLessThanOrEqual(1);
      }
    },
  );

  it("take back half a line, so that the same process can still say why it stops", async () => {
    const path = newPath();
    // the calls are open, sync, folder open, folder sync, write, write
    const faulty = faultyIo(6, "error", "ENOSPC");
    using log = EventLog.open(path, same, { io: faulty.io });
    note(log, "one");
    expect(thrownBy(() => note(log, "two"))).toMatchObject({ code: "infra" });
    log.append("stop", { reason: "infra", detail: "disk full", hint: "" });
    expect((await all(path)).map((event) => [event.seq, event.type])).toEqual([
      [0, "tool_result"],
      [1, "stop"],
    ]);
  });

  it("that one sync reports are remembered when the next one succeeds", () => {
    const faulty = faultyIo(6, "error");
    using log = EventLog.open(newPath(), same, { io: faulty.io });
    const prepared = { ...inTask("T-001", 1), sha: oid("1"), tree: oid("2") };
    expect(thrownBy(() => log.append("commit_prepared", prepared))).toMatchObject({ code: "infra" });
    expect(thrownBy(() => log.sync())).toMatchObject({ code: "infra" });
    expect(thrownBy(() => log.append("commit", prepared))).toMatchObject({ code: "infra" });
  });
});
