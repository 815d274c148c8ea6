import { expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import { CheckPool } from "../../runner/hands/roles/check/containers/pool.js";
import type { CheckSandbox } from "../../runner/hands/roles/check/containers/zygote.js";

const never = new AbortController().signal;

class FakeContainer implements CheckSandbox {
  isLost = false;
  disposed = false;
  async call(): Promise<Record<string, unknown>> {
    return { ready: true, pid: 2 };
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }
}

function poolOf(start = async () => new FakeContainer()) {
  const started: FakeContainer[] = [];
  const pool = new CheckPool(async () => {
    const container = await start();
    started.push(container);
    return container;
  }, {});
  return { pool, started };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test("the pool starts one container ahead however often it is asked, and the next check gets it", async () => {
  const { pool, started } = poolOf();
  pool.prepare();
  pool.prepare();
  await settled();
  expect(started).toHaveLength(1);
  const warm = await pool.take(never);
  expect(warm.container).toBe(started[0]);
  await pool[Symbol.asyncDispose]();
});

test("a waiting container that was lost is replaced, when one is prepared and when one is taken", async () => {
  const { pool, started } = poolOf();
  for (const renew of [() => pool.prepare(), () => undefined]) {
    pool.prepare();
    await settled();
    const waiting = started.at(-1);
    if (waiting) waiting.isLost = true;
    renew();
    expect((await pool.take(never)).container).toBe(started.at(-1));
    expect(started.at(-1)).not.toBe(waiting);
  }
});

test("when as many containers wait as are allowed, the check that needs one starts it", async () => {
  const starting = async () => new FakeContainer();
  await using pool = new CheckPool(starting, {}, async () => null);
  pool.prepare();
  await settled();
  expect((await pool.take(never)).container.isLost).toBe(false);
});

test("a container that failed to start ahead is started again by the check that needs it", async () => {
  let starts = 0;
  const { pool } = poolOf(async () => {
    starts += 1;
    if (starts === 1) throw new Error("no engine");
    return new FakeContainer();
  });
  pool.prepare();
  await settled();
  expect((await pool.take(never)).container.isLost).toBe(false);
  expect(starts).toBe(2);
});

test("an interrupt does not wait for a starting container, which is kept for disposal", async () => {
  let finish = () => {};
  const ready = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { pool, started } = poolOf(async () => {
    await ready;
    return new FakeContainer();
  });
  pool.prepare();
  const controller = new AbortController();
  const taken = pool.take(controller.signal);
  controller.abort();
  await expect(taken).rejects.toThrow(Interrupted);
  finish();
  await pool[Symbol.asyncDispose]();
  expect(started[0]?.disposed).toBe(true);
});

test("a used container ends in the background, and before the pool does", async () => {
  const { pool, started } = poolOf();
  await (await pool.take(never))[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  expect(started[0]?.disposed).toBe(true);
});
