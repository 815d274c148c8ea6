import { expect, it } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import type { HostPath } from "../../runner/base/ids.js";
import { SessionStore } from "../../runner/session/store.js";
import { stepOf } from "../helpers/every.js";
import { type DiskCode, FaultyDisk } from "../helpers/faulty-disk.js";
import { LoopSession } from "../helpers/loop-session.js";
import { scratch } from "../helpers/scratch.js";

/** Makes a session on a disk that fails at its `nth` call; null if there was no such call. */
async function prepare(home: HostPath, code: DiskCode, nth: number): Promise<string | null> {
  using disk = new FaultyDisk({ folder: home, code, nth, forGood: false });
  try {
    await LoopSession.open({ home, tasks: 2 });
  } catch (error) {
    expect(error, `${code} at call ${nth} (${disk.calls.at(-1)})`).toBeInstanceOf(TilthError);
    expect(error).toMatchObject({ code: "infra" });
  }
  return disk.happened ? `${code} at call ${nth} (${disk.calls[nth - 1]})` : null;
}

/** The faults take turns at the calls; EVERY=1 lets each call meet them all. */
const faults = ["ENOSPC", "EIO", "EMFILE"] as const;
const step = stepOf(faults.length);

it.each(faults.map((code, at) => [code, (at % step) + 1] as const))(
  "a session that a failing disk (%s) kept from being prepared is absent or says so; a prepared one is whole",
  async (code, first) => {
    for (let nth = first; ; nth += step) {
      const home = scratch();
      const at = await prepare(home, code, nth);
      const store = new SessionStore(home);
      for (const row of store.list()) {
        expect(["preparing", "prepared"], at ?? "").toContain(row.status);
        const files = store.open(row.id);
        if (row.status === "prepared")
          expect([files.loadPrd().length, files.loadSeed().size], at ?? "").toEqual([2, 2]);
      }
      if (at === null) break;
    }
  },
);
