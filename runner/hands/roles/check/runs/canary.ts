import { randomBytes, randomInt } from "node:crypto";
import { posix } from "node:path";
import type { TestResult } from "../../../ports/checks/pytest.js";

/** A test that has to fail, under a name nobody can know before the run. */
export interface Canary {
  readonly path: string;
  readonly source: string;
  readonly id: string;
}

/** It stands beside `neighbour` and looks like a staged test, so a trick that makes failures pass meets it too. */
export function newCanary(neighbour: string): Canary {
  const letters = [...randomBytes(10)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
  const path = posix.join(posix.dirname(neighbour), `test_t${randomInt(100, 1000)}_${letters}.py`);
  const name = `test_${letters}`;
  const source = `def ${name}():\n    value = ${randomInt(1, 1000)}\n    assert value == ${randomInt(1000, 2000)}\n`;
  return { path, source, id: `${path}::${name}` };
}

/** A fixture of the project that every test takes may have added parameters to the canary. */
export function isCanary({ id }: Canary, name: string): boolean {
  return name === id || name.startsWith(`${id}[`);
}

/** The canary may be skipped for some of such parameters, but may pass for none and must fail for one. */
export function hasFailed(canary: Canary, results: readonly Pick<TestResult, "id" | "outcome">[]): boolean {
  const outcomes = results.filter(({ id }) => isCanary(canary, id)).map(({ outcome }) => outcome);
  return outcomes.includes("failed") && outcomes.every((outcome) => outcome === "failed" || outcome === "skipped");
}

/** Returns the output without lines that show the canary or the nonce. */
export function withoutSecrets(output: string, { path }: Canary, nonce: string): string {
  const stem = posix.basename(path, ".py");
  const lines = output.split("\n").filter((line) => !line.includes(stem) && !line.includes(nonce));
  return lines.join("\n").replace(/\n{3,}/g, "\n\n");
}
