import { availableParallelism } from "node:os";
import { GitRepo } from "../helpers/git-repo.js";
import { inParallel } from "../kill-matrix/points.js";
import { sessionOfCommits } from "./commits.js";
import { Load, Person } from "./person.js";
import { wholeSession } from "./whole-session.js";

// npm run stress [-- N [commits|sessions]]: N of each, two at a time, beside a person who packs and prunes, on a busy machine

const sessions = Number(process.argv[2] ?? 100);
const works = {
  commits: (repo: GitRepo, at: number) => sessionOfCommits(repo, `20250101-120000-${String(at).padStart(6, "0")}`),
  sessions: (repo: GitRepo) => wholeSession(repo),
};
let failed = 0;
for (const [name, work] of Object.entries(works))
  if ((process.argv[3] ?? name) === name) failed += await stressed(name, work);
process.exitCode = failed === 0 ? 0 : 1;

/** Gives how many failed, and says why. */
async function stressed(name: string, work: (repo: GitRepo, at: number) => Promise<number>): Promise<number> {
  using repo = GitRepo.withCommit({ "a.txt": "one\n" });
  const failures = new Map<string, number>();
  let commits = 0;
  {
    using _load = new Load(availableParallelism());
    await using _person = new Person(repo);
    const points = Array.from({ length: sessions }, (_, at) => at);
    const hold = async (at: number) => {
      try {
        const made = await work(repo, at);
        commits += made;
        return null;
      } catch (error) {
        const said = sayOf(error, repo);
        failures.set(said, (failures.get(said) ?? 0) + 1);
        return said;
      }
    };
    await inParallel(points, hold);
  }
  for (const [what, times] of failures) process.stdout.write(`${times} × ${what}\n`);
  const sum = [...failures.values()].reduce((total, times) => total + times, 0);
  process.stdout.write(`${name}: ${sessions} sessions, ${commits} commits, ${sum} failed\n`);
  return sum;
}

/** The same for every session, so that causes can be counted. */
function sayOf(error: unknown, repo: GitRepo): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? `\n  from ${error.cause.message}` : "";
  return `${stack}${cause}`
    .replaceAll(repo.root, "")
    .replace(/\d{8}-\d{6}-[0-9a-f]{6}/g, "<id>")
    .replace(/[0-9a-f]{40}/g, "<oid>");
}
