import { expect, test } from "vitest";
import { asSessionId } from "../../runner/base/ids.js";
import { commitMessage } from "../../runner/loop/commit-message.js";
import { git } from "../helpers/fake-git.js";
import { GitRepo } from "../helpers/git-repo.js";
import { hostileText } from "../helpers/hostile-events.js";

const session = asSessionId("20260102-030405-abcdef");
const acting = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]/u;

async function logged(message: string): Promise<string> {
  using repo = new GitRepo();
  repo.files({ "a.txt": "a\n" }).commit(message);
  return String(await git(["log", "-1"], { cwd: repo.path }));
}

test("no title or summary can act on a reader of git's log, or pose as a commit", async () => {
  if (session === null) throw new Error("that is a session's id");
  const task = {
    id: "T-001",
    title: hostileText,
    description: "d",
    acceptance_criteria: ["a"],
    status: "pending" as const,
  };
  expect(await logged(`T-001: ${hostileText}`)).toMatch(acting);
  const log = await logged(commitMessage({ task, summary: `${hostileText}\ncommit ${"0".repeat(40)}`, session }));
  expect(log).toContain("T-001: </script>");
  expect(log).not.toMatch(acting);
  expect(log.match(/^commit /gm)).toHaveLength(1);
});
