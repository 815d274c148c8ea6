import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostPath } from "../../../runner/base/ids.js";
import { EnvironmentLocks } from "../../../runner/session/state/environment-locks.js";

const [some, empty, unknown] = ["a", "b", "c"].map((letter) => letter.repeat(64)) as [string, string, string];

test("the lock of an environment without packages is empty, and a missing lock is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "tilth-locks-"));
  try {
    const environmentLock = hostPath(join(folder, "environment.lock"));
    const locks = new EnvironmentLocks({ environments: hostPath(join(folder, "environments")), environmentLock });
    expect([locks.load(empty), locks.keys()]).toEqual([null, []]);
    locks.save(empty, "");
    locks.save(some, "greet==1\n");
    expect([empty, some, unknown].map((key) => locks.load(key))).toEqual(["", "greet==1\n", null]);
    const inForce = [empty, some, empty].map((key) => {
      locks.putInForce(key);
      return readFileSync(environmentLock, "utf8");
    });
    expect(inForce).toEqual(["", "greet==1\n", ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
