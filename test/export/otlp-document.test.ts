import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { otlpDocument } from "../../runner/export/otlp-document.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import { SessionStore } from "../../runner/session/store.js";
import { scratch } from "../helpers/scratch.js";
import { asLines, inTask, logOf, modelCall, oid } from "../session/event-fixtures.js";
import { drawn, factsOf, flaws, spansIn } from "./forest.js";
import { wholeSession } from "./whole-session.js";

function session(log: string, prd?: string): SessionFiles {
  const files = new SessionStore(scratch()).create({ source: hostPath("/src"), baseCommit: commitId(oid("0")) });
  writeFileSync(files.paths.events, log);
  if (prd !== undefined) writeFileSync(files.paths.prd, prd);
  return files;
}

async function piecesOf(files: SessionFiles): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of otlpDocument(files)) pieces.push(piece);
  return pieces;
}

const task = { id: "T-001", title: "The first", description: "d", acceptance_criteria: ["c"], status: "done" };

describe("an exported session", () => {
  test("is one line of JSON with every task's title", async () => {
    const [text = "", ...more] = await piecesOf(session(asLines(wholeSession), JSON.stringify([task])));
    expect([more, text.indexOf("\n")]).toEqual([[], text.length - 1]);
    const spans = spansIn(text);
    expect(flaws(spans)).toEqual([]);
    const titles = spans.filter(({ name }) => name.startsWith("task ")).map((one) => factsOf(one)["tilth.task.title"]);
    expect(titles).toEqual(["The first", undefined, undefined, undefined]);
  });

  test("needs no tasks, and may have a log whose last line was cut off by a crash", async () => {
    const whole = spansIn((await piecesOf(session(asLines(wholeSession.slice(0, -1))))).join(""));
    const torn = spansIn((await piecesOf(session(asLines(wholeSession).slice(0, -9), "not JSON"))).join(""));
    const untimed = (spans: typeof whole) => drawn(spans).map((one) => one.replace(/^session .*? /, ""));
    expect([untimed(torn), flaws(torn)]).toEqual([untimed(whole), []]);
  });

  test("comes in pieces of whole spans when it is long", async () => {
    const calls = Array.from({ length: 1000 }, (_, iter): ["model_call", ReturnType<typeof modelCall>] => [
      "model_call",
      modelCall("T-001", iter + 1),
    ]);
    const pieces = await piecesOf(session(asLines(logOf(...calls))));
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.length).toBeLessThan(70_000);
    expect(spansIn(pieces.join(""))).toHaveLength(2002);
  });

  test("becomes several requests of a line each when it is very long, none larger than collectors take", async () => {
    const files = session(asLines(wholeSession), JSON.stringify([task]));
    const whole = spansIn((await piecesOf(files)).join(""));
    const pieces: string[] = [];
    for await (const piece of otlpDocument(files, 5_000)) pieces.push(piece);
    const lines = pieces.join("").split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(5_000);
    expect(lines.flatMap((line) => spansIn(line))).toEqual(whole);
  });

  test("is refused before its first piece when nothing has happened yet", async () => {
    const files = session("");
    await expect(piecesOf(files)).rejects.toMatchObject({
      code: "usage",
      message: `session ${files.id} has no events yet`,
    });
  });

  test("is refused with the line of the log that is no event", async () => {
    const log = `${asLines(logOf(["context_reset", inTask("T-001", 0)]))}{}\n${asLines(wholeSession)}`;
    await expect(piecesOf(session(log))).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("line 2 of "),
    });
  });
});
