import { describe, expect, it } from "vitest";
import { commandOutput } from "../../../runner/tools/worker/command-output.js";

const ended = {
  exit: 0,
  signal: null,
  timedOut: false,
  head: Buffer.alloc(0),
  tail: Buffer.alloc(0),
  omitted: 0,
  killed: [],
  full: null,
  refusedHosts: [],
  ms: 1,
};

describe("a command's result", () => {
  it("gives a short output whole, split or not", () => {
    expect(commandOutput({ ...ended, head: Buffer.from("ab"), tail: Buffer.from("cd") }, 1000)).toBe(
      "exit code 0\nabcd",
    );
    expect(commandOutput(ended, 1000)).toBe("exit code 0\n(no output)");
  });

  it("keeps head and tail of a long output and counts the middle", () => {
    const text = `HEAD${"m".repeat(20_000)}TAIL`;
    const said = commandOutput({ ...ended, head: Buffer.from(text) }, 1000);
    expect(said.length).toBeLessThan(8_100);
    expect(said).toMatch(/^exit code 0\nHEADm+\n\[… 12008 of 20008 bytes left out …\]\nm+TAIL$/);
  });

  it("counts what the resident dropped, and cuts no character in two", () => {
    const euro = Buffer.from("€".repeat(2_000));
    const said = commandOutput(
      { ...ended, head: euro.subarray(0, -1), tail: euro.subarray(1), omitted: 1_000_000 },
      1000,
    );
    expect(said).not.toContain("\ufffd");
    expect(said).toContain(`${1_000_000 + 4} of ${1_000_000 + 11_998} bytes left out`);
  });

  it("never names an exit code for a command that has none", () => {
    const killed = commandOutput({ ...ended, exit: null, signal: "SIGKILL" }, 1000);
    expect(killed).toContain("killed by SIGKILL");
    expect(killed).not.toMatch(/exit code \d/);
    expect(commandOutput({ ...ended, exit: null, timedOut: true }, 6_000)).toContain("timed out after 6 s");
  });

  it("tells a stop for a full disk from a time-out, and says what to do about it", () => {
    const full = { free: 300 * 1024 * 1024, largest: [{ path: "a/big", bytes: 5 * 1024 * 1024 }], removed: ["made"] };
    const stopped = {
      ...ended,
      exit: null,
      signal: "SIGKILL",
      full: { ...full, what: "space", stopped: true } as const,
    };
    expect(commandOutput(stopped, 1000).split("\n")).toEqual([
      "stopped: the disk is nearly full; it and everything it started was killed",
      "removed, to go on at all: made",
      "remove what the task does not need; 300 MB are free; the largest: a/big (5 MB)",
      "(no output)",
    ]);
    const after = { ...ended, full: { ...full, what: "share", stopped: false, removed: [] } as const };
    expect(commandOutput(after, 1000)).toMatch(
      /^exit code 0\ncareful: \/workspace takes more of the disk than it may\n/,
    );
  });

  it("names what had to be killed, within bounds", () => {
    const killed = Array.from({ length: 500 }, (_, i) => `${i} sleep ${"9".repeat(300)}`);
    const said = commandOutput({ ...ended, killed }, 1000);
    expect(said).toContain("0 sleep");
    expect(said).toContain("and 492 more");
    expect(said.length).toBeLessThan(1_200);
  });
});
