import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { type RemovalParts, undo } from "../../../runner/app/removal/remove-session.js";
import { Interrupted, TilthError } from "../../../runner/base/errors.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { HandsLost } from "../../../runner/hands/ports/hands.js";
import { SessionStore } from "../../../runner/session/store.js";
import { scratch } from "../../helpers/scratch.js";

/** The parts of a session whose worktree the clerk fails to empty. */
function partsWhere(failure: unknown): RemovalParts {
  const store = new SessionStore(hostPath(scratch()));
  const files = store.create({ source: hostPath(scratch()), baseCommit: commitId("1".repeat(40)) });
  mkdirSync(files.paths.worktree);
  const empty = () => Promise.reject(failure);
  return { store, files, hands: { clerk: { empty } } } as unknown as RemovalParts;
}

test.each([
  ["the time is over", new Interrupted(), "it took longer than 30 s"],
  ["the engine fails", new TilthError("infra", "no engine", ""), "no engine"],
  ["the container is lost twice", new HandsLost("clerk", "gone"), "gone"],
])("when %s, removal says what is left behind and hides no earlier error", async (_, failure, says) => {
  expect(await undo(partsWhere(failure))).toBe(says);
});

test("a bug during removal is thrown, not reported as something left behind", async () => {
  await expect(undo(partsWhere(new TypeError("a bug")))).rejects.toThrow("a bug");
});
