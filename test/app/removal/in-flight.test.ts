import { expect, test } from "vitest";
import { InFlight, startAgain } from "../../../runner/app/removal/in-flight.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { SessionLock } from "../../../runner/session/lock/lock.js";
import { EventLog } from "../../../runner/session/log/event-log.js";
import { SessionStore } from "../../../runner/session/store.js";
import { scratch } from "../../helpers/scratch.js";

const source = hostPath(scratch());
// removing anything needs an engine and a source, and there is none here
const nothing = {} as Omit<Parameters<InFlight["discard"]>[0], "store">;

function opened() {
  const store = new SessionStore(hostPath(scratch()));
  const files = store.create({ source, baseCommit: commitId("1".repeat(40)) });
  files.updateCheckpoint({ status: "prepared" });
  return { store, files };
}

test("a session that is in flight is discarded", async () => {
  const { store } = opened();
  await expect(new InFlight(store, source, "discard").discard({ store, ...nothing })).rejects.toThrow(TypeError);
});

test("a session that finished in the meantime is left alone, but not one whose checkpoint alone says so", async () => {
  const { store, files } = opened();
  const inFlight = new InFlight(store, source, "discard");
  files.updateCheckpoint({ status: "all_done" });
  await expect(inFlight.discard({ store, ...nothing })).rejects.toThrow(TypeError);
  using log = EventLog.open(files.paths.events, (text) => text);
  log.append("stop", { reason: "all_done", detail: "", hint: "" });
  await inFlight.discard({ store, ...nothing });
  expect(store.list().map(({ id }) => id)).toEqual([files.id]);
});

test("a session that was removed in the meantime is skipped", async () => {
  const { store, files } = opened();
  const inFlight = new InFlight(store, source, "discard");
  store.remove(files.id);
  await inFlight.discard({ store, ...nothing });
});

test("when one of several sessions is locked by then, none is discarded and none stays locked", async () => {
  const { store, files } = opened();
  const other = store.create({ source, baseCommit: commitId("1".repeat(40)) });
  other.updateCheckpoint({ status: "prepared" });
  for (const [held, free] of [
    [files, other],
    [other, files],
  ] as const) {
    const inFlight = new InFlight(store, source, "discard");
    using _lock = SessionLock.acquire(held.paths.lock);
    await expect(inFlight.discard({ store, ...nothing })).rejects.toMatchObject({ code: "busy" });
    SessionLock.acquire(free.paths.lock)[Symbol.dispose]();
  }
});

test("a session that a process holds is refused before anything is done", () => {
  const { store, files } = opened();
  using _lock = SessionLock.acquire(files.paths.lock);
  expect(() => new InFlight(store, source, "discard")).toThrow(expect.objectContaining({ code: "busy" }));
});

test("the command that repeats a failed interview does not discard sessions that were to be kept", () => {
  expect(startAgain("/code/shop", "keep")).toBe("tilth prep-feature '/code/shop' --keep-existing");
  for (const policy of ["refuse", "discard"] as const)
    expect(startAgain("/code/shop", policy)).toBe("tilth prep-feature '/code/shop' --force");
});
