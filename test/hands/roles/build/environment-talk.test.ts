import { expect, test } from "vitest";
import { EnvironmentTalk } from "../../../../runner/hands/roles/build/environment-talk.js";

const lineOf = (message: unknown) => Buffer.from(`${JSON.stringify(message)}\n`);
const result = (more: object = {}) => ({ result: { ok: true, lock: "", ...more } });

function* pieces(bytes: Buffer, size = 65_536): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/**
 * The bytes a naive reader gets through in a while: it appends each piece to everything before and looks at the whole
 * again.
 */
function naivelyRead(bytes: Buffer, ms: number): number {
  const decoder = new TextDecoder();
  const until = performance.now() + ms;
  let [rest, read] = ["", 0];
  for (const piece of pieces(bytes)) {
    if (performance.now() > until) break;
    rest = (rest + decoder.decode(piece, { stream: true })).split("\n").pop() ?? "";
    read += piece.length;
  }
  return read;
}

test("a line of 50 MB is read in time linear to its length", () => {
  const line = lineOf(result({ wheels: { "a.whl": "A".repeat(50 * 1024 ** 2) } }));
  const talk = new EnvironmentTalk(() => undefined);
  const began = performance.now();
  for (const piece of pieces(line)) talk.take(piece);
  const took = performance.now() - began;
  expect(talk.result).toMatchObject({ ok: true });
  expect(took).toBeLessThan(5_000);
  expect(naivelyRead(line, 3 * took)).toBeLessThan(line.length / 2);
});

test("lines are read whole however they are cut, and lines that are not ours are skipped", () => {
  const said: string[] = [];
  const talk = new EnvironmentTalk((line) => said.push(line));
  const all = [lineOf({ say: "größe" }), Buffer.from("null\n{\n\n"), lineOf({ say: "two" }), lineOf(result())];
  for (const piece of pieces(Buffer.concat(all), 1)) talk.take(piece);
  expect([said, talk.result]).toEqual([["größe", "two"], expect.objectContaining({ ok: true, names: [] })]);
});

test("a build may print thousands of lines, and one that does not stop is stopped", () => {
  const said: string[] = [];
  const talk = new EnvironmentTalk((line) => said.push(line));
  talk.take(Buffer.concat(Array.from({ length: 15_000 }, () => lineOf({ say: "downloading" }))));
  talk.take(lineOf(result()));
  expect([said.length, talk.result?.ok]).toEqual([15_000, true]);
  const flood = Buffer.from("\n".repeat(65_536));
  expect(() => talk.take(flood)).toThrow("said more than 20000 lines");
});

test("a result that would become millions of lists is refused, and one of thousands of packages is whole", () => {
  const bomb = Buffer.from(`{"result":{"ok":true,"lock":"","names":[${"[],".repeat(2_000_000)}[]]}}\n`);
  expect(JSON.parse(bomb.toString()).result.names).toHaveLength(2_000_001);
  const talk = new EnvironmentTalk(() => undefined);
  talk.take(bomb);
  expect(talk.result).toBeNull();
  const names = Array.from({ length: 10_000 }, (_, at) => [`package-${at}`, "1.0"]);
  talk.take(lineOf(result({ names })));
  expect(talk.result).toMatchObject({ names });
});

test("text about an environment is cut to a length that a person would read", () => {
  const talk = new EnvironmentTalk(() => undefined);
  talk.take(lineOf(result({ said: Array.from({ length: 5_000 }, () => "x".repeat(30_000)) })));
  const { said = [] } = talk.result?.ok ? talk.result : {};
  expect([said.length, said[0]?.length]).toEqual([1_000, 20_000]);
});
