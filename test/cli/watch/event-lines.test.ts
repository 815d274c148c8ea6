import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { EventLines } from "../../../cli/watch/event-lines.js";
import { scratch } from "../../helpers/scratch.js";
import { asLines, logOf } from "../../session/event-fixtures.js";

const events = (count: number) =>
  logOf(...Array.from({ length: count }, (_, bytes) => ["torn_tail", { bytes }] as ["torn_tail", { bytes: number }]));

/** An output whose reader takes text only when told to. */
function readBy(taken: (text: string) => Promise<void>): Output {
  const target = { terminal: false, coloured: false, columns: () => 80, rows: () => 24 };
  return new Output(
    { ...target, sink: (bytes) => taken(bytes.toString()) },
    { ...target, sink: async () => undefined },
  );
}

test("only what the log gains is written, and the end waits for all of it", async () => {
  const path = join(scratch(), "events.jsonl");
  const [before, ...after] = asLines(events(4)).split(/(?<=\n)/);
  writeFileSync(path, `${before}{"torn`);
  let text = "";
  const lines = new EventLines(
    readBy(async (more) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      text += more;
    }),
    path,
  );
  writeFileSync(path, before ?? "");
  for (const line of after) {
    appendFileSync(path, line);
    lines.more();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await lines.end(new AbortController().signal);
  expect(text).toBe(after.join(""));
});

test("a stalled reader is handed little at a time, and nobody waits for it after an interruption", async () => {
  const path = join(scratch(), "events.jsonl");
  writeFileSync(path, "");
  let handed = 0;
  const lines = new EventLines(
    readBy((text) => {
      handed += text.length;
      return new Promise(() => undefined);
    }),
    path,
  );
  appendFileSync(path, asLines(events(50_000)));
  lines.more();
  const interrupting = new AbortController();
  const ended = lines.end(interrupting.signal);
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve("waiting"), 200))])).toBe(
    "waiting",
  );
  interrupting.abort();
  await ended;
  expect(handed).toBeGreaterThan(0);
  expect(handed).toBeLessThan(1_000_000);
});

test("a log that cannot be read is reported at the end", async () => {
  const path = join(scratch(), "events.jsonl");
  writeFileSync(path, "");
  const lines = new EventLines(
    readBy(async () => undefined),
    path,
  );
  writeFileSync(path, "{}\n");
  rmSync(path);
  mkdirSync(path);
  lines.more();
  await expect(lines.end(new AbortController().signal)).rejects.toMatchObject({ code: "usage" });
});
