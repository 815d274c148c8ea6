import { existsSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import { readEvents } from "../../runner/session/log/event-reader.js";
import type { EventType } from "../../runner/session/log/events.js";
import { Reserve } from "../../runner/session/reserve.js";
import { faultyIo } from "../helpers/faulty-io.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, calls, solve, write } from "../helpers/loop-turns.js";
import { scratch, thrownBy } from "../helpers/scratch.js";
import { canMount, SmallDisk } from "../helpers/small-disk.js";
import { faultsOfState } from "../helpers/state-oracle.js";

type Arranged = Awaited<ReturnType<typeof LoopSession.open>>;

async function typesIn(session: Arranged): Promise<readonly EventType[]> {
  const types: EventType[] = [];
  for await (const { type } of readEvents(session.files.paths.events)) types.push(type);
  return types;
}

/** The first task is done; in the second the disk fills up while the model thinks. */
function filling(disk: SmallDisk, first: () => void = () => undefined) {
  const meanwhile = () => {
    first();
    disk.fill();
    return calls(write("much.txt", "x".repeat(9_000)));
  };
  return { worker: [solve(1), meanwhile], evaluator: [accept] };
}

describe.runIf(canMount)("a disk that fills up during a run", () => {
  it("ends the run as infra, naming the trouble and the remedy, and the end is in every file", async () => {
    using disk = new SmallDisk(8);
    const session = await LoopSession.open({ tasks: 2, home: disk.path });
    const run = await session.run(filling(disk));
    expect(run.end.stop).toMatchObject({
      reason: "infra",
      detail: expect.stringMatching(/events\.jsonl: no space is left on the disk \(ENOSPC\)$/),
      hint: "free some space on that disk, then try again",
    });
    expect((await typesIn(session)).at(-1)).toBe("stop");
    expect(session.files.loadSummary()?.stop?.reason).toBe("infra");
    expect([session.files.loadCheckpoint().status, session.statuses]).toEqual(["running", ["done", "pending"]]);
    expect(await faultsOfState(session)).toEqual([]);
  });

  it("lets the run go on once there is room again", async () => {
    using disk = new SmallDisk(8);
    const session = await LoopSession.open({ tasks: 2, home: disk.path });
    await session.run(filling(disk));
    disk.empty();
    const again = await session.run({ worker: [solve(2)], evaluator: [accept] });
    expect([again.reason, session.statuses]).toEqual(["all_done", ["done", "done"]]);
    expect(existsSync(session.files.paths.reserve)).toBe(false);
  });

  it("would not leave the end in every file without the reserved room", async () => {
    using disk = new SmallDisk(8);
    const session = await LoopSession.open({ tasks: 2, home: disk.path });
    const naive = filling(disk, () => rmSync(session.files.paths.reserve));
    await expect(session.run(naive)).rejects.toMatchObject({ code: "infra" });
    expect(session.files.loadSummary()?.stop ?? null).toBeNull();
    expect(await faultsOfState(session)).toEqual([]);
  });

  it("keeps a run from beginning, and nothing is changed", async () => {
    using disk = new SmallDisk(8);
    const session = await LoopSession.open({ home: disk.path });
    disk.fill();
    await expect(session.run({})).rejects.toMatchObject({
      code: "infra",
      message: expect.stringContaining("no space is left on the disk"),
    });
    expect([await typesIn(session), session.files.loadCheckpoint().status]).toEqual([[], "prepared"]);
  });
});

describe("the reserved room", () => {
  it("is nothing at all when it could not be had whole", () => {
    for (const nth of [1, 2, 3]) {
      const path = `${scratch()}/reserve`;
      const error = thrownBy(() => Reserve.hold(path, faultyIo(nth, "error", "ENOSPC").io));
      expect(error).toBeInstanceOf(TilthError);
      expect(error).toMatchObject({ code: "infra" });
      expect(existsSync(path)).toBe(false);
    }
  });
});
