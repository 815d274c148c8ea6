import { once } from "node:events";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { kinds } from "../../../runner/hands/pipe/wire/protocol.js";
import { FakeResident } from "../../helpers/resident-fake.js";
import { soon } from "../../helpers/soon.js";

const window = 256 * 1024;

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

async function withStreams() {
  const streams: Duplex[] = [];
  const opened = await FakeResident.open({ onConnection: (stream) => streams.push(stream) });
  const stream = async (id: number): Promise<Duplex> => {
    const before = streams.length;
    opened.resident.send(kinds.open, id);
    await soon(() => streams.length).toBe(before + 1);
    return streams[before] as Duplex;
  };
  const sent = (kind: number) => opened.resident.received.filter((frame) => frame.kind === kind);
  return { ...opened, stream, sent };
}

describe("a stream of a container", () => {
  test("carries bytes both ways, ends each way separately, and says when both have ended", async () => {
    const { resident, stream, sent, channel } = await withStreams();
    const one = await stream(1);
    resident.send(kinds.bytes, 1, "ques");
    resident.send(kinds.bytes, 1, "tion");
    resident.send(kinds.finish, 1);
    let heard = "";
    one.on("data", (chunk: Buffer) => {
      heard += chunk;
    });
    await once(one, "end");
    expect(heard).toBe("question");
    one.end("answer");
    await soon(() => sent(kinds.finish)).toHaveLength(1);
    expect(Buffer.concat(sent(kinds.bytes).map(({ payload }) => payload)).toString()).toBe("answer");
    expect(sent(kinds.abandon)).toEqual([]);
    await channel[Symbol.asyncDispose]();
  });

  test("sends no more than the other end has room for, and goes on when it has", async () => {
    const { resident, stream, sent, channel } = await withStreams();
    const one = await stream(1);
    one.write(Buffer.alloc(window + 5));
    const bytes = () => sent(kinds.bytes).reduce((sum, { payload }) => sum + payload.length, 0);
    await soon(bytes).toBe(window);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(bytes()).toBe(window);
    resident.send(kinds.credit, 1, u32(100));
    await soon(bytes).toBe(window + 5);
    await channel[Symbol.asyncDispose]();
  });

  test("that nobody reads gives no room back until somebody reads it", async () => {
    const { resident, stream, sent, channel } = await withStreams();
    const one = await stream(1);
    for (let at = 0; at < 4; at += 1) resident.send(kinds.bytes, 1, Buffer.alloc(window / 4));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const given = () => sent(kinds.credit).reduce((sum, { payload }) => sum + Buffer.from(payload).readUInt32BE(), 0);
    expect(given()).toBeLessThan(window);
    resident.send(kinds.finish, 1);
    expect(await buffer(one)).toHaveLength(window);
    await channel[Symbol.asyncDispose]();
  });

  test("that one end gives up is ended at the other, and frames on their way are ignored", async () => {
    const { resident, stream, sent, channel } = await withStreams();
    const one = await stream(1);
    one.destroy();
    await soon(() => sent(kinds.abandon)).toHaveLength(1);
    for (const kind of [kinds.bytes, kinds.finish, kinds.abandon]) resident.send(kind, 1, "late");
    const two = await stream(2);
    const closed = new Promise((resolve) => two.once("close", resolve));
    resident.send(kinds.abandon, 2);
    await closed;
    expect(sent(kinds.abandon)).toHaveLength(1);
    await channel[Symbol.asyncDispose]();
  });

  test("ends with its channel", async () => {
    const { stream, channel } = await withStreams();
    const one = await stream(1);
    const closed = new Promise((resolve) => one.once("close", resolve));
    await channel[Symbol.asyncDispose]();
    await closed;
  });

  test.each([
    [
      "sends more than there is room for",
      (resident: FakeResident) =>
        Array.from({ length: 5 }, () => resident.send(kinds.bytes, 1, Buffer.alloc(window / 4))),
    ],
    ["gives more room than there is", (resident: FakeResident) => resident.send(kinds.credit, 1, u32(1))],
    ["gives room in no number", (resident: FakeResident) => resident.send(kinds.credit, 1, "x")],
    ["opens a stream twice", (resident: FakeResident) => resident.send(kinds.open, 1)],
    [
      "opens streams without end",
      (resident: FakeResident) => Array.from({ length: 200 }, (_, at) => resident.send(kinds.open, at + 2)),
    ],
  ])("breaks the protocol when the resident %s", async (_, misbehave) => {
    const { resident, stream, channel } = await withStreams();
    await stream(1);
    misbehave(resident);
    await channel.closed;
    const call = channel.call("x", {}, { signal: new AbortController().signal, timeoutMs: 1_000 });
    await expect(call).rejects.toThrow("does not keep to its protocol");
  });

  test("breaks the protocol where no stream may be", async () => {
    const { resident, channel } = await FakeResident.open();
    resident.send(kinds.open, 1);
    await channel.closed;
  });
});
