import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEvents } from "../../../runner/session/log/event-reader.js";
import { scratch } from "../../helpers/scratch.js";
import { asLines, logOf } from "../event-fixtures.js";

const three = logOf(["torn_tail", { bytes: 1 }], ["torn_tail", { bytes: 2 }], ["torn_tail", { bytes: 3 }]);

async function read(text: string): Promise<number> {
  const path = join(scratch(), "events.jsonl");
  writeFileSync(path, text);
  let count = 0;
  for await (const _ of readEvents(path)) count += 1;
  return count;
}

describe("reading an event log", () => {
  it("gives whole lines and skips a torn tail", async () => {
    expect(await read(asLines(three))).toBe(3);
    expect(await read(asLines(three).slice(0, -10))).toBe(2);
    expect(await read("")).toBe(0);
  });

  it.each([
    ["is no JSON", "garbage"],
    ["is empty", ""],
    ["is no event", '{"v":1}'],
    ["has an unknown type", JSON.stringify({ ...three[0], type: "made_up" })],
    ["has a field too many", JSON.stringify({ ...three[0], payload: { bytes: 1, extra: 1 } })],
  ])("names file and line of a line that %s", async (_, bad) => {
    const [first = "", second = "", third = ""] = asLines(three).split("\n");
    await expect(read(`${[first, bad, second, third].join("\n")}\n`)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^line 2 of .*events\.jsonl/),
    });
  });

  it("follows no link, takes no folder for a log, and finds a missing one empty", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "real"), asLines(three));
    symlinkSync("real", join(folder, "events.jsonl"));
    await expect(readEvents(join(folder, "events.jsonl")).next()).rejects.toMatchObject({ code: "infra" });
    mkdirSync(join(folder, "folder.jsonl"));
    await expect(readEvents(join(folder, "folder.jsonl")).next()).rejects.toMatchObject({ code: "usage" });
    expect(await readEvents(join(folder, "none.jsonl")).next()).toMatchObject({ done: true });
  });

  it("holds at most a chunk and a line, and gives lines that straddle chunks whole", async () => {
    const big = logOf(
      ...Array.from(
        { length: 40 },
        (_, i) =>
          ["tool_result", { tool: "bash", call_id: "c", content: "é".repeat(30_000 + i), ms: 1 }] as [
            "tool_result",
            never,
          ],
      ),
    );
    expect(await read(asLines(big))).toBe(40);
  });
});
