import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linesFrom } from "../../../runner/session/log/follow-log.js";
import { scratch } from "../../helpers/scratch.js";

const logIn = (folder: string) => join(folder, "events.jsonl");

describe("following a log", () => {
  it("gives whole lines, and continues where it was", async () => {
    const path = logIn(scratch());
    expect(await linesFrom(path, 0)).toEqual({ lines: [], end: 0 });
    writeFileSync(path, '{"a":"é"}\n{"b":2}\n{"c":');
    const first = await linesFrom(path, 0);
    expect(first.lines).toEqual(['{"a":"é"}', '{"b":2}']);
    expect(await linesFrom(path, first.end)).toEqual({ lines: [], end: first.end });
    appendFileSync(path, "3}\n");
    expect((await linesFrom(path, first.end)).lines).toEqual(['{"c":3}']);
  });

  it("gives a long log in pieces, and a line longer than a piece as a whole", async () => {
    const path = logIn(scratch());
    const lines = [50_000, 900_000, 10, 400_000, 200_000].map((length, at) => JSON.stringify(`${at}`.repeat(length)));
    writeFileSync(path, `${lines.join("\n")}\n`);
    const seen: string[] = [];
    let batches = 0;
    for (let at = 0, more = true; more; batches += 1) {
      const batch = await linesFrom(path, at);
      seen.push(...batch.lines);
      more = batch.lines.length > 0;
      at = batch.end;
    }
    expect(seen).toEqual(lines);
    expect(batches).toBeGreaterThan(2);
  });

  it("holds back a torn last line that ends in a line break, and gives what takes its place", async () => {
    const path = logIn(scratch());
    writeFileSync(path, '{"a":1}\n\0\0\0\n');
    const { lines, end } = await linesFrom(path, 0);
    expect(lines).toEqual(['{"a":1}']);
    truncateSync(path, end);
    appendFileSync(path, '{"b":2}\n');
    expect((await linesFrom(path, end)).lines).toEqual(['{"b":2}']);
  });

  it("gives a line that is no JSON when others follow it, however long it is", async () => {
    const path = logIn(scratch());
    const damaged = "x".repeat(600_000);
    writeFileSync(path, `${damaged}\n{"b":2}\n`);
    expect((await linesFrom(path, 0)).lines).toEqual([damaged, '{"b":2}']);
  });

  it("reads only plain files", async () => {
    const folder = scratch();
    mkdirSync(logIn(folder));
    await expect(linesFrom(logIn(folder), 0)).rejects.toMatchObject({ code: "usage" });
  });
});
