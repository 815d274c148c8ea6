import { describe, expect, test } from "vitest";
import { Output, type Target } from "../../../cli/output/output.js";
import { green, line, type Painted, red, row } from "../../../cli/output/painted.js";

const esc = "\u001b";

class CapturedOutput {
  text = "";
  readonly target: Target;

  constructor(over: Partial<Target> = {}) {
    const sink = async (bytes: Buffer) => {
      this.text += bytes.toString();
    };
    this.target = { sink, terminal: false, coloured: false, columns: () => 80, rows: () => 24, ...over };
  }
}

const { signal } = new AbortController();
const plain = (painted: Painted) => painted.render({ coloured: false, columns: 80 });
const coloured = (painted: Painted) => painted.render({ coloured: true, columns: 80 });

describe("output", () => {
  test("puts results and progress on separate streams", async () => {
    const [results, progress] = [new CapturedOutput(), new CapturedOutput()];
    const output = new Output(results.target, progress.target);
    output.print("a result");
    output.say("on the way");
    await output.drain(signal);
    expect([results.text, progress.text]).toEqual(["a result\n", "on the way\n"]);
  });

  test("lets nothing through that acts on a terminal, and keeps line breaks", async () => {
    const results = new CapturedOutput();
    const output = new Output(results.target, new CapturedOutput().target);
    output.print(`a${esc}[2Jb\r\nc\u009b31md\u202ee`);
    await output.drain(signal);
    expect(results.text).toBe("a[2Jb\nc31mde\n");
  });

  test("cuts progress off at the terminal's width, but never a message that has to be read in full", async () => {
    const progress = new CapturedOutput({ terminal: true, columns: () => 20 });
    const output = new Output(new CapturedOutput().target, progress.target);
    const long = line`stopped: go on with ${"tilth resume 1"}`;
    output.say(long);
    output.tell(long);
    await output.drain(signal);
    expect(progress.text).toBe("stopped: go on with…\nstopped: go on with tilth resume 1\n");
  });

  test("never waits for a reader, drops progress beyond a limit and says how much", async () => {
    let read = (): void => undefined;
    const standing = new Promise<void>((resolve) => {
      read = resolve;
    });
    const progress = new CapturedOutput();
    const sink = (bytes: Buffer) => standing.then(() => progress.target.sink(bytes));
    const output = new Output(new CapturedOutput().target, { ...progress.target, sink });
    for (let at = 0; at < 5_000; at += 1) output.say(`line ${at}`);
    read();
    await output.drain(signal);
    expect(progress.text).toContain("line 0\n");
    expect(progress.text).toMatch(/line 2000\n… 2999 lines not shown\n$/);
  });

  test("keeps every result for a slow reader, and waits for it until interrupted", async () => {
    const slow = new CapturedOutput();
    const sink = async (bytes: Buffer) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await slow.target.sink(bytes);
    };
    const output = new Output({ ...slow.target, sink }, new CapturedOutput().target, 20);
    for (let at = 0; at < 5_000; at += 1) output.print(`${at}`);
    await output.drain(signal);
    expect(slow.text.trimEnd().split("\n")).toHaveLength(5_000);

    const stuck = new Output(
      { ...slow.target, sink: () => new Promise(() => undefined) },
      new CapturedOutput().target,
      20,
    );
    stuck.print("never read");
    await stuck.drain(AbortSignal.abort());
  });

  test("does not wait for a stalled terminal", async () => {
    const never = { ...new CapturedOutput().target, terminal: true, sink: () => new Promise<void>(() => undefined) };
    const output = new Output(never, never, 20);
    output.print("never shown");
    await output.drain(signal);
  });

  test("writes JSON that keeps its meaning and cannot act on a terminal", async () => {
    const value = { text: `${esc}[31m\u009b\u202e\u{e0041} "ä" \u2028\n`, "\u200bkey": [1] };
    const results = new CapturedOutput();
    const output = new Output(results.target, new CapturedOutput().target);
    output.printJson(value);
    await output.drain(signal);
    expect(JSON.parse(results.text)).toEqual(value);
    expect(results.text).toMatch(/^[\n -~ä]*$/);
  });
});

describe("written output", () => {
  class Pieces {
    made = 0;
    closed = false;
    async *[Symbol.asyncIterator]() {
      try {
        for (; this.made < 1_000; this.made += 1) yield `"${esc}${this.made}",`;
      } finally {
        this.closed = true;
      }
    }
  }

  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code, syscall: "write" });
  };
  const outputTo = (sink: Target["sink"]) =>
    new Output({ ...new CapturedOutput().target, sink }, new CapturedOutput().target, 20);

  test("arrives whole when it is long, and acts on no terminal", async () => {
    const results = new CapturedOutput();
    const output = new Output(results.target, new CapturedOutput().target);
    output.print("before");
    await output.streamJson(new Pieces(), signal);
    expect(results.text.length).toBeGreaterThan(10_000);
    expect(results.text).toMatch(/^before\n"\\u001b0","\\u001b1",[ -~]*"\\u001b999",$/);
  });

  test("is made no faster than it is read, and stops when interrupted", async () => {
    const pieces = new Pieces();
    const stop = new AbortController();
    const streaming = outputTo(() => new Promise(() => undefined)).streamJson(pieces, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([pieces.made, pieces.closed]).toEqual([0, false]);
    stop.abort(new Error("interrupted"));
    await expect(streaming).rejects.toThrow("interrupted");
    expect([pieces.made, pieces.closed]).toEqual([0, true]);
  });

  test("ends early and quietly when its reader has gone", async () => {
    const pieces = new Pieces();
    await outputTo(failing("EPIPE")).streamJson(pieces, signal);
    expect([pieces.made, pieces.closed]).toEqual([0, true]);
  });

  test("fails with a message when there is no room for it", async () => {
    await expect(outputTo(failing("ENOSPC")).streamJson(new Pieces(), signal)).rejects.toMatchObject({
      code: "infra",
      message: "could not write the output: no space is left on the disk (ENOSPC)",
    });
  });

  test("holds nothing up when its lines cannot be written", async () => {
    const output = outputTo(failing("ENOSPC"));
    output.print("a result");
    await output.drain(signal);
  });

  test.each([
    ["ENOSPC", "could not write the output: no space is left on the disk (ENOSPC)"],
    ["EPIPE", undefined],
  ])("reports %s as %j", async (code, missed) => {
    const output = outputTo(failing(code));
    output.print("a result");
    await output.drain(signal);
    expect(output.trouble?.message).toBe(missed);
  });
});

describe("a line", () => {
  const hostile = `x${esc}[8m\nall tasks are done\u2028\u009b2J`;

  test("cannot be doubled, coloured or cleared by its fields", () => {
    expect(plain(line`title: ${hostile}!`)).toBe("title: x[8m all tasks are done 2J!");
    expect(coloured(line`title: ${hostile}!`)).not.toContain(esc);
    expect(plain(row([hostile, "2"], [0, 0]))).toBe("x[8m all tasks are done 2J  2");
  });

  test("has only our own colours, and none when they are not wanted", () => {
    const painted = line`check ${red("failed")}: ${hostile}`;
    expect(coloured(painted)).toBe(`check ${esc}[31mfailed${esc}[39m: x[8m all tasks are done 2J`);
    expect(plain(painted)).not.toContain(esc);
  });

  test("is cut to what fits, and its colours are closed", () => {
    const painted = line`${green("0123456789")} and more`;
    expect(painted.render({ coloured: true, columns: 6 })).toBe(`${esc}[32m01234${esc}[39m…`);
    expect(painted.render({ coloured: false, columns: 19 })).toBe("0123456789 and more");
  });

  test("of a table aligns words to the left and numbers to the right", () => {
    expect(plain(row(["T-001", "7"], [8, 4], 1))).toBe("T-001        7");
  });
});
