import { availableParallelism } from "node:os";
import { GitRepo } from "../helpers/git-repo.js";
import { sessionOfCommits } from "./commits.js";
import { Load, Person } from "./person.js";

// npm run stress [-- N]: N sessions of ten commits each, two at a time, beside a person who packs and prunes

const sessions = Number(process.argv[2] ?? 100);
const failures = new Map<string, number>();
let commits = 0;

using repo = GitRepo.withCommit({ "a.txt": "one\n" });
{
  using _load = new Load(availableParallelism());
  await using _person = new Person(repo);
  const left = Array.from({ length: sessions }, (_, at) => at);
  await Promise.all([work(left), work(left)]);
}
process.stderr.write("\n");
for (const [what, times] of failures) process.stdout.write(`${times} × ${what}\n`);
const failed = [...failures.values()].reduce((sum, times) => sum + times, 0);
process.stdout.write(`${sessions} sessions, ${commits} commits, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function work(left: number[]): Promise<void> {
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const name = `20250101-120000-${String(at).padStart(6, "0")}`;
    const said = await sessionOfCommits(repo, name).then(
      (made) => {
        commits += made;
        return null;
      },
      (error: unknown) => sayOf(error),
    );
    if (said !== null) failures.set(said, (failures.get(said) ?? 0) + 1);
    process.stderr.write(said === null ? "." : "F");
  }
}

/** The same for every session, so that causes can be counted. */
function sayOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? `\n  from ${error.cause.message}` : "";
  return `${stack}${cause}`
    .replaceAll(repo.root, "")
    .replace(/20250101-120000-\d+/g, "<id>")
    .replace(/[0-9a-f]{40}/g, "<oid>");
}
