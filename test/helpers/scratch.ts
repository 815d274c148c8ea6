import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type HostPath, hostPath } from "../../runner/base/ids.js";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Makes an empty folder that is gone after the test. */
export function scratch(): HostPath {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tilth-test-")));
  made.push(folder);
  return hostPath(folder);
}

export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
