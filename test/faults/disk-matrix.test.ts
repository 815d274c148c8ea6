import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { exitCodeOfStop } from "../../cli/output/exit-codes.js";
import { TilthError } from "../../runner/base/errors.js";
import { stepOf } from "../helpers/every.js";
import { type DiskCode, FaultyDisk } from "../helpers/faulty-disk.js";
import { LoopSession } from "../helpers/loop-session.js";
import { taskId } from "../helpers/numbered-seed.js";
import { faultsOfState } from "../helpers/state-oracle.js";
import { StatelessModel } from "../helpers/stateless-model.js";

const undisturbed = "no_case";
type Arranged = Awaited<ReturnType<typeof LoopSession.open>>;

/** One task is accepted at the second try, one at the first, and one fails until it is tried again. */
const kinds = ["rejected", "accepted", "failed"] as const;

const tasks = kinds.length;

/** The end of the run: its stop, or the kind of TilthError if not even that could be written down. */
async function endOf(session: Arranged): Promise<string> {
  try {
    return (await session.runOn(new StatelessModel(kinds))).end.stop.reason;
  } catch (error) {
    if (error instanceof TilthError) return error.code;
    throw error;
  }
}

/** After the disk is well again, expects every file to be readable and the session to go on to its end. */
async function afterwards(session: Arranged, at: string): Promise<void> {
  expect(await faultsOfState(session), at).toEqual([]);
  for (let left = 3; left > 0 && session.files.loadCheckpoint().status !== "all_done"; left -= 1) {
    const isPrepared = session.files.loadCheckpoint().status === "prepared";
    await session.runOn(new StatelessModel(kinds), { resume: !isPrepared });
  }
  expect([session.files.loadCheckpoint().status, session.statuses], at).toEqual(["all_done", kinds.map(() => "done")]);
  expect(session.branch.moves, at).toHaveLength(tasks);
  expect(
    session.files.progress().filter((line) => line.includes("\tdone\t")),
    at,
  ).toHaveLength(tasks);
  expect(await faultsOfState(session), at).toEqual([]);
}

async function prepared(): Promise<Arranged> {
  using _quick = new FaultyDisk({ folder: tmpdir(), code: "EIO", nth: Number.POSITIVE_INFINITY, forGood: false });
  return await LoopSession.open({ tasks });
}

async function fall(nth: number, code: DiskCode, forGood: boolean): Promise<string | null> {
  const session = await prepared();
  let end: string;
  let disk: FaultyDisk;
  {
    using faulty = new FaultyDisk({ folder: session.files.paths.folder, code, nth, forGood });
    disk = faulty;
    end = await endOf(session);
  }
  if (!disk.happened) return null;
  const at = `${code} at call ${nth} (${disk.calls[nth - 1]})`;
  expect([undisturbed, "infra"], at).toContain(end);
  if (end === "infra") expect(exitCodeOfStop(end)).toBe(5);
  const failed = session.statuses.flatMap((status, index) => (status === "failed" ? [taskId(index + 1)] : []));
  expect(["", taskId(tasks)], at).toContain(failed.join());
  await afterwards(session, at);
  return at;
}

const faults = [
  ["ENOSPC", "once", false],
  ["ENOSPC", "for good", true],
  ["EIO", "once", false],
  ["EIO", "for good", true],
  ["EROFS", "for good", true],
  ["EMFILE", "once", false],
] as const;

/**
 * About every other write meets one of the faults, in turn. The step is odd, so that each kind of write is met; EVERY=1
 * lets each meet all.
 */
const step = stepOf(2 * faults.length + 1);

async function matrix(code: DiskCode, forGood: boolean, first: number): Promise<number> {
  for (let nth = first; ; nth += step) if ((await fall(nth, code, forGood)) === null) return nth - 1;
}

describe("a session whose disk fails at any one state write", () => {
  it.each(faults.map((fault, at) => [...fault, ((2 * at) % step) + 1] as const))(
    "with %s %s, has old state or new in every file and loses nothing accepted",
    async (code, _, forGood, first) => {
      const points = await matrix(code, forGood, first);
      expect(points).toBeGreaterThan(50);
    },
    600_000,
  );
});
