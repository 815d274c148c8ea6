import { expect, test } from "vitest";
import { GrowingBytes } from "../../runner/base/growing-bytes.js";
import { RecordReader } from "../../runner/disk/record-reader.js";

function recordsOf(bytes: Buffer, size: number): string[] {
  const reader = new RecordReader(0);
  const records: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const record of reader.read(bytes.subarray(at, at + size))) records.push(record.toString());
  return records;
}

test("records come out whole however the bytes are cut, and an unfinished one is left out", () => {
  const bytes = Buffer.from("one\0\0größe\0a longer one\0rest");
  for (let size = 1; size <= bytes.length; size += 1)
    expect(recordsOf(bytes, size)).toEqual(["one", "", "größe", "a longer one"]);
});

test("bytes that are kept do not keep the whole chunk that they came in", () => {
  const naive: Uint8Array[] = [];
  const held = new GrowingBytes();
  for (let at = 0; at < 100; at += 1) {
    const chunk = Buffer.alloc(65_536, at);
    naive.push(chunk.subarray(0, 1));
    held.add(chunk.subarray(0, 1));
  }
  const behind = new Set(naive.map(({ buffer }) => buffer));
  expect([...behind].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeGreaterThan(6_000_000);
  const taken = held.take();
  expect([[...taken], taken.buffer.byteLength < 100_000]).toEqual([[...Array(100).keys()], true]);
  expect([held.length, held.take().length]).toEqual([0, 0]);
});
