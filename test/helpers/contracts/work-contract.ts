import { expect, test } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import type { HandsPart } from "./hands-contract.js";
import { bash, text } from "./in-hands.js";

const { signal } = new AbortController();
/**
 * A number of seconds that no other sleep on this machine has: the worker of a fake sees every process of the machine.
 */
const long = `3${Date.now()}`;

/** The worker's tools, where commands run. */
export const workContract: HandsPart = (prepared) => {
  test("a command's exit code, output and folder are as in a shell", async () => {
    const { work } = prepared().hands;
    const result = await work.bash("pwd; echo err >&2; ls data/lines.txt; exit 3", 20_000, signal);
    expect(result).toMatchObject({ exit: 3, timedOut: false, omitted: 0 });
    expect(text(result.head)).toContain("err\n");
    expect(text(result.head)).toContain("data/lines.txt");
  });

  test("a timed-out command says so and leaves nothing running", async () => {
    const result = await prepared().hands.work.bash(`sleep ${long} & sleep ${long}`, 300, signal);
    expect(result).toMatchObject({ timedOut: true });
    const count = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '[s]leep ${long}' || true`;
    expect(await bash(prepared(), count)).toBe("0\n");
  });

  test("an interrupted command fails as interrupted", async () => {
    const stop = new AbortController();
    const running = prepared().hands.work.bash("sleep 30", 60_000, stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(running).rejects.toBeInstanceOf(Interrupted);
  });

  test("files are read by lines, and a missing or outside path is answered, not thrown", async () => {
    const { work } = prepared().hands;
    const part = await work.readFile({ path: "data/lines.txt", offset: 2, limit: 2, maxBytes: 100 }, signal);
    expect(part).toMatchObject({ ok: true, firstLine: 2, lastLine: 3, truncated: true });
    expect(part.ok && text(part.content)).toBe("two\nthree\n");
    expect(await work.readFile({ path: "none.txt", maxBytes: 9 }, signal)).toMatchObject({ ok: false });
    expect(await work.readFile({ path: "../../etc/passwd", maxBytes: 9 }, signal)).toMatchObject({ ok: false });
  });

  test("an edit replaces exactly one match, byte for byte", async () => {
    const lint = null;
    const edit = (path: string, oldString: string, newString: string) =>
      prepared().hands.work.editFile({ path, oldString, newString, maxBytes: 1000, lint }, signal);
    expect(await edit("data/dollar.txt", "OLD", "$& $$")).toMatchObject({ ok: true, path: "data/dollar.txt" });
    expect(await bash(prepared(), "cat data/dollar.txt")).toBe("price = $& $$\n");
    expect(await edit("data/lines.txt", "o", "x")).toMatchObject({ ok: false });
    expect(await edit("data/lines.txt", "absent", "x")).toMatchObject({ ok: false });
  });

  test("glob and grep find what the tree holds, hidden and ignored files included", async () => {
    const { work } = prepared().hands;
    await bash(
      prepared(),
      "echo HIT > ignored.log; for i in node_modules env/site-packages .cache; do mkdir -p $i; echo HIT > $i/x.py; done",
    );
    expect(await work.glob({ pattern: "**/*.py", limit: 9 }, signal)).toMatchObject({ paths: ["src/app.py"] });
    const hits = await work.grep({ pattern: "H[I]T", pathGlob: null, limit: 9 }, signal);
    expect(hits).toMatchObject({ ok: true, lines: ["ignored.log:1: HIT"], truncated: false });
  });

  test("it is the current one as long as no other environment is asked for, and quiet when nothing runs", async () => {
    const { work } = prepared().hands;
    expect([work.isCurrent, work.isLost, work.endedAsleep]).toEqual([true, false, false]);
    await work.quiet(signal);
    expect((await work.start(signal)).passed).toBe(true);
  });
};
