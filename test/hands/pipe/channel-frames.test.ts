import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EngineDemux } from "../../../runner/hands/docker/engine/engine-demux.js";
import { FrameReader, frameHeader } from "../../../runner/hands/pipe/frames.js";

const frame = fc.record({ kind: fc.nat(255), callId: fc.nat(0xffffffff), payload: fc.uint8Array({ maxLength: 400 }) });

/** The same bytes in pieces of the given sizes. */
function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("frames come out as they went in, however the stream was cut and multiplexed", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(frame), sizes, sizes, (frames, inner, outer) => {
      const plain = Buffer.concat(
        frames.flatMap(({ kind, callId, payload }) => [frameHeader(kind, callId, payload.length), payload]),
      );
      const engine = [...cut(plain, inner)].flatMap((part) => {
        const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, part.length]);
        return [Buffer.from([2, 0, 0, 0, 0, 0, 0, 3]), Buffer.from("err"), header, part];
      });
      const demux = new EngineDemux();
      const reader = new FrameReader();
      const seen = [...cut(Buffer.concat(engine), outer)].flatMap((chunk) =>
        [...demux.read(chunk)].flatMap((part) => [...reader.read(part)]),
      );
      expect(seen.map((each) => ({ ...each, payload: new Uint8Array(each.payload) }))).toEqual(frames);
    }),
    { numRuns: 200 },
  );
});

test("a gigabyte of frames in small chunks is read in linear time and constant memory", () => {
  const payload = Buffer.alloc(1024 * 1024 - 5);
  const bytes = Buffer.concat([frameHeader(18, 1, payload.length), payload]);
  const reader = new FrameReader();
  const before = process.memoryUsage().rss;
  const started = performance.now();
  let seen = 0;
  for (let i = 0; i < 1024; i += 1) {
    for (const chunk of cut(bytes, [65_536])) for (const each of reader.read(chunk)) seen += each.payload.length;
  }
  expect(seen).toBe(1024 * payload.length);
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
});
