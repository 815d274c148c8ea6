import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import { ChannelClosed, ResidentRefusal } from "../../../runner/hands/pipe/channel.js";
import { kinds } from "../../../runner/hands/pipe/wire/protocol.js";
import { briefSleepMs, holdUp } from "../../helpers/held-up.js";
import { FakeResident } from "../../helpers/resident-fake.js";

function options(more: object = {}) {
  return { signal: new AbortController().signal, timeoutMs: 5_000, ...more };
}

describe("a call", () => {
  test.each([false, true])(
    "sends its arguments and input, and gives data and result (multiplexed: %s)",
    async (multiplexed) => {
      const { resident, channel } = await FakeResident.open({ multiplexed });
      expect(channel.hello).toEqual({ protocol: 1, pid: 1, python: "3.11.2" });
      const data: Uint8Array[] = [];
      const input = Buffer.alloc(600_000, 1);
      const call = channel.call(
        "write",
        { path: "x" },
        options({ input, onData: (chunk: Uint8Array) => void data.push(chunk) }),
      );
      const { callId, payload } = await resident.next(kinds.call);
      expect(JSON.parse(payload.toString())).toEqual({ op: "write", path: "x" });
      await resident.next(kinds.end);
      const chunks = resident.received.filter(({ kind }) => kind === kinds.data);
      expect(chunks.map((chunk) => chunk.payload.length)).toEqual([262_144, 262_144, 75_712]);
      resident.send(kinds.output, callId, "some ");
      resident.send(kinds.output, callId, "bytes");
      resident.answer(callId, { ok: true, bytes: 3 });
      expect(await call).toEqual({ ok: true, bytes: 3 });
      expect(Buffer.concat(data).toString()).toBe("some bytes");
      await channel[Symbol.asyncDispose]();
    },
  );

  test("that is refused fails with the code and the sentence", async () => {
    const { resident, channel } = await FakeResident.open();
    const call = channel.call("read", {}, options());
    resident.answer((await resident.next(kinds.call)).callId, { ok: false, code: "tool", message: "x: no such file." });
    await expect(call).rejects.toThrow(new ResidentRefusal("tool", "x: no such file."));
    await channel[Symbol.asyncDispose]();
  });

  test.each([{ ok: true }, { ok: false, code: "io", message: "exec: Too many open files." }])(
    "whose processes were not seen dead ends the container instead of giving an answer (%s)",
    async (said) => {
      const { resident, channel } = await FakeResident.open();
      const call = channel.call("exec", {}, options());
      const other = channel.call("read", {}, options());
      resident.answer((await resident.next(kinds.call)).callId, { ...said, swept: false });
      await expect(call).rejects.toThrow(/has not seen dead/);
      await expect(call).rejects.toThrow(ChannelClosed);
      await expect(other).rejects.toThrow(ChannelClosed);
      await channel.closed;
    },
  );

  test("that is aborted waits until the resident confirms", async () => {
    const { resident, channel } = await FakeResident.open();
    const abort = new AbortController();
    let settled = false;
    const call = channel.call("exec", {}, options({ signal: abort.signal })).finally(() => {
      settled = true;
    });
    const { callId } = await resident.next(kinds.call);
    const cancelled = resident.next(kinds.cancel);
    abort.abort();
    expect((await cancelled).callId).toBe(callId);
    await pause(20);
    expect(settled).toBe(false);
    resident.answer(callId, { ok: false, code: "cancelled", message: "" });
    await expect(call).rejects.toThrow(Interrupted);
    await expect(channel.call("exec", {}, options({ signal: abort.signal }))).rejects.toThrow(Interrupted);
    await channel[Symbol.asyncDispose]();
  });

  test("that is not answered in time ends the channel, and with it every other call", async () => {
    const { resident, channel } = await FakeResident.open();
    const other = channel.call("exec", {}, options());
    await expect(channel.call("read", {}, options({ timeoutMs: 50 }))).rejects.toThrow(ChannelClosed);
    await expect(other).rejects.toThrow("read was not answered within 50 ms");
    await channel.closed;
    await expect(channel.call("read", {}, options())).rejects.toThrow(ChannelClosed);
    resident.end();
  });

  test("whose consumer or input throws is cancelled and throws the same", async () => {
    const { resident, channel } = await FakeResident.open();
    async function* broken() {
      yield Buffer.from("x");
      throw new Error("the source broke");
    }
    const onData = () => Promise.reject(new Error("the consumer broke"));
    for (const [more, message] of [
      [{ onData }, "the consumer broke"],
      [{ input: broken() }, "the source broke"],
    ] as const) {
      const cancelled = resident.next(kinds.cancel);
      const call = channel.call("exec", {}, options(more));
      const failed = expect(call).rejects.toThrow(message);
      const { callId } = await resident.next(kinds.call);
      resident.send(kinds.output, callId, "data");
      await cancelled;
      resident.send(kinds.output, callId, "late data");
      resident.answer(callId, { ok: true });
      await failed;
    }
    await channel[Symbol.asyncDispose]();
  });

  test("takes no more of its input once it is answered", async () => {
    const { resident, channel } = await FakeResident.open();
    let given = 0;
    async function* endless() {
      for (;;) {
        given += 1;
        yield Buffer.alloc(1024);
        await pause(1);
      }
    }
    const call = channel.call("exec", {}, options({ input: endless() }));
    resident.answer((await resident.next(kinds.call)).callId, { ok: true });
    await call;
    await pause(20);
    const after = given;
    await pause(30);
    expect(given).toBe(after);
    await channel[Symbol.asyncDispose]();
  });
});

describe("output", () => {
  test.each([
    ["in large frames", 65_536],
    ["in frames of one byte", 1],
    ["in frames of nothing", 0],
  ])(
    "without end %s ends the channel before it fills the brain, and all of it is taken without a bound",
    async (_, size) => {
      const mostBytes = 100_000;
      for (const [bound, ends] of [
        [{ mostBytes }, true],
        [{ mostBytes: Number.POSITIVE_INFINITY }, false],
      ] as const) {
        const { resident, channel } = await FakeResident.open();
        let frames = 0;
        const onData = () => {
          frames += 1;
        };
        const call = channel.call("read", {}, options({ ...bound, onData }));
        const ended = call.then(
          () => "answered",
          (error: unknown) => (error instanceof ChannelClosed ? error.message : error),
        );
        const { callId } = await resident.next(kinds.call);
        for (let sent = 0; sent < 3_000; sent += 1) resident.send(kinds.output, callId, Buffer.alloc(size));
        resident.answer(callId, { ok: true });
        expect(await ended).toBe(
          ends ? "the resident does not keep to its protocol: more output than the call may have" : "answered",
        );
        expect(frames * (size + 64) <= mostBytes).toBe(ends);
        await channel[Symbol.asyncDispose]();
      }
    },
  );

  test("up to the bound of its call is no fault", async () => {
    const { resident, channel } = await FakeResident.open();
    const call = channel.call("exec", {}, options({ mostBytes: 100_000, onData: () => undefined }));
    const { callId } = await resident.next(kinds.call);
    resident.send(kinds.output, callId, Buffer.alloc(99_000));
    resident.answer(callId, { ok: true });
    expect(await call).toEqual({ ok: true });
    await channel[Symbol.asyncDispose]();
  });
});

describe("back-pressure", () => {
  test("stops the stream while a consumer waits, and data comes in order, one piece at a time", async () => {
    const { resident, channel } = await FakeResident.open({ multiplexed: true });
    let open = 0;
    let bytes = 0;
    const onData = async (chunk: Uint8Array) => {
      open += 1;
      expect(open).toBe(1);
      bytes += chunk.length;
      await pause(1);
      open -= 1;
    };
    const call = channel.call("exec", {}, options({ onData }));
    const { callId } = await resident.next(kinds.call);
    let written = 0;
    for (let i = 0; i < 100; i += 1) {
      written += 65_536;
      if (!resident.send(kinds.output, callId, Buffer.alloc(65_536))) await resident.drained;
      expect(written - bytes).toBeLessThan(1_000_000);
    }
    resident.answer(callId, { ok: true });
    await call;
    expect(bytes).toBe(written);
    await channel[Symbol.asyncDispose]();
  });

  test("stops the input while the stream takes no more", async () => {
    const { resident, channel } = await FakeResident.open();
    let given = 0;
    async function* source() {
      for (let i = 0; i < 200; i += 1) {
        given += 1;
        yield Buffer.alloc(100_000);
      }
    }
    const seen = resident.next(kinds.data);
    const goOn = resident.holdReading();
    const call = channel.call("exec", {}, options({ input: source() }));
    await pause(50);
    expect(given).toBeLessThan(10);
    goOn();
    await seen;
    await resident.next(kinds.end);
    expect(given).toBe(200);
    resident.answer(1, { ok: true });
    await call;
    await channel[Symbol.asyncDispose]();
  });
});

describe("a resident that breaks the protocol", () => {
  const length = (bytes: number) => {
    const header = Buffer.alloc(9);
    header.writeUInt32BE(bytes, 0);
    header.writeUInt8(kinds.result, 4);
    return header;
  };
  test.each<[string, (resident: FakeResident, callId: number) => void]>([
    ["garbage", (resident) => resident.raw(Buffer.alloc(4096, 0xee))],
    ["a frame that is too long", (resident) => resident.raw(length(0x7fffffff))],
    ["a frame shorter than its header", (resident) => resident.raw(length(4))],
    ["a call nobody made", (resident) => resident.answer(99, { ok: true })],
    ["data of a call nobody made", (resident) => resident.send(kinds.output, 99, "x")],
    ["two results", (resident, id) => [1, 2].forEach(() => void resident.answer(id, { ok: true }))],
    ["a result that is no JSON", (resident, id) => resident.send(kinds.result, id, "{")],
    ["a result of the wrong shape", (resident, id) => resident.answer(id, { ok: "yes" })],
    ["a result that does not say what is alive", (resident, id) => resident.send(kinds.result, id, '{"ok":true}')],
    ["a result that is no object", (resident, id) => resident.send(kinds.result, id, "null")],
    ["an unknown kind", (resident, id) => resident.send(77, id)],
    ["a second hello", (resident) => resident.send(kinds.hello, 0, "{}")],
  ])("closes the channel, and does nothing worse: %s", async (_, attack) => {
    const { resident, channel } = await FakeResident.open();
    const call = channel.call("exec", {}, options()).catch((error: unknown) => error);
    attack(resident, (await resident.next(kinds.call)).callId);
    await channel.closed;
    const first = await call;
    if (!(first instanceof ChannelClosed)) expect(first).toEqual({ ok: true });
    await expect(channel.call("exec", {}, options())).rejects.toThrow(/does not keep to its protocol/);
  });

  test("closes the channel when an engine's stream comes without its headers", async () => {
    const { resident, channel } = await FakeResident.open({ multiplexed: true });
    resident.garble(Buffer.from("\u0007 no header at all"));
    await channel.closed;
    await expect(channel.call("exec", {}, options())).rejects.toThrow(ChannelClosed);
  });

  test.each([
    ["silence", { hello: null }],
    ["another protocol", { hello: JSON.stringify({ protocol: 2, pid: 1, python: "3" }) }],
    ["no JSON", { hello: "hello" }],
  ])("closes the channel with %s instead of a hello", async (_, made) => {
    await expect(FakeResident.make(made).open({ timeoutMs: 100 })).rejects.toThrow(ChannelClosed);
  });
});

describe("the end", () => {
  test("of the stream fails every call with the resident's last words", async () => {
    const { resident, channel } = await FakeResident.open({ multiplexed: true });
    const calls = [1, 2].map(() => channel.call("exec", {}, options()));
    const failed = Promise.allSettled(calls);
    await resident.next(kinds.call);
    resident.raw(Buffer.from("resident: the brain\u001b[31m has been silent\n"), 2);
    resident.end();
    for (const each of await failed) {
      expect(each).toMatchObject({
        reason: { name: "ChannelClosed", message: "the resident ended: resident: the brain [31m has been silent" },
      });
    }
    await channel.closed;
  });

  test("comes when pings stay unanswered, not while the brain itself is busy", async () => {
    const { channel } = await FakeResident.open({ mute: true, heartbeatMs: 20 });
    await expect(channel.call("exec", {}, options())).rejects.toThrow("the resident stopped answering");
    const { resident, channel: answering } = await FakeResident.open({ heartbeatMs: 20 });
    const call = answering.call("exec", {}, options({ onData: () => pause(300) }));
    const { callId } = await resident.next(kinds.call);
    const until = performance.now() + 300;
    while (performance.now() < until);
    resident.send(kinds.output, callId, "x");
    resident.answer(callId, { ok: true });
    expect(await call).toEqual({ ok: true });
    await answering[Symbol.asyncDispose]();
  });

  test("counts as sleep when this process was held up for longer than the lease, until a ping is answered again", async () => {
    const { resident, channel } = await FakeResident.open({ heartbeatMs: 100, leaseMs: 2_000 });
    await resident.next(kinds.ping);
    const call = channel.call("exec", {}, options());
    const { callId } = await resident.next(kinds.call);
    // as a real stream delivers it: sent before the resident ended, received after the sleep
    resident.send(kinds.output, callId, "x");
    holdUp(briefSleepMs);
    resident.end();
    await expect(call).rejects.toMatchObject({ name: "ChannelClosed", asleep: true });
    expect(channel.endedAsleep).toBe(true);

    const { resident: living, channel: again } = await FakeResident.open({ heartbeatMs: 100, leaseMs: 2_000 });
    holdUp(briefSleepMs);
    await living.next(kinds.ping);
    await living.next(kinds.ping);
    const later = again.call("exec", {}, options());
    await living.next(kinds.call);
    living.end();
    await expect(later).rejects.toMatchObject({ asleep: false });
  });

  test("by disposal fails open calls and waits for the stream", async () => {
    const { channel } = await FakeResident.open();
    const call = expect(channel.call("exec", {}, options())).rejects.toThrow("the channel was closed");
    await channel[Symbol.asyncDispose]();
    await call;
    await channel.closed;
  });

  test("before the hello is an interruption when the signal says so", async () => {
    const abort = new AbortController();
    const opening = FakeResident.make({ hello: null }).open({ signal: abort.signal });
    abort.abort();
    await expect(opening).rejects.toThrow(Interrupted);
  });
});
