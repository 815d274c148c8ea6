import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { remarksOnReading } from "../../../runner/app/opening/basis.js";
import { hostPath } from "../../../runner/base/ids.js";

test("a source that the interviewer's container cannot read is reported with the command that opens it", () => {
  const workTree = hostPath(mkdtempSync(join(tmpdir(), "tilth-ground-")));
  try {
    const { uid, gid } = statSync(workTree);
    const remarks = (mode: number, identity: { uid: number; gid: number }) => {
      chmodSync(workTree, mode);
      return remarksOnReading({ workTree }, identity);
    };
    const other = { uid: uid + 1, gid: gid + 1 };
    expect(remarks(0o700, other)).toEqual([expect.stringContaining(`chmod -R o+rX '${workTree}'`)]);
    expect(remarks(0o754, other)).toHaveLength(1);
    expect(remarks(0o705, other)).toEqual([]);
    expect(remarks(0o700, { uid, gid: gid + 1 })).toEqual([]);
    expect(remarks(0o750, { uid: uid + 1, gid })).toEqual([]);
    expect(remarks(0o705, { uid: uid + 1, gid })).toHaveLength(1);
  } finally {
    rmSync(workTree, { recursive: true });
  }
});
