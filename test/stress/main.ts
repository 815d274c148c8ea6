import { availableParallelism } from "node:os";
import { GitRepo } from "../helpers/git-repo.js";
import { inParallel } from "../kill-matrix/points.js";
import { CommandLines } from "./command-lines.js";
import { sessionOfCommits } from "./commits.js";
import { Load, Person } from "./person.js";
import { wholeSession } from "./whole-session.js";

// npm run stress [-- N [commits|sessions|command-lines]]: N of each, two at a time, beside a person who packs and prunes, on a busy machine

const sessions = Number(process.argv[2] ?? 100);
const works: Readonly<Record<string, () => Promise<number>>> = {
  commits: () => inOneRepo((repo, at) => sessionOfCommits(repo, `20250101-120000-${String(at).padStart(6, "0")}`)),
  sessions: () => inOneRepo((repo) => wholeSession(repo)),
  "command-lines": inOneSource,
};
const wanted = process.argv[3];
if (wanted !== undefined && !(wanted in works)) throw new Error(`there is no kind ${wanted}`);
let failed = 0;
for (const [name, work] of Object.entries(works))
  if ((wanted ?? name) === name) {
    process.stdout.write(`${name}\n`);
    failed += await work();
  }
process.exitCode = failed === 0 ? 0 : 1;

async function inOneRepo(work: (repo: GitRepo, at: number) => Promise<number>): Promise<number> {
  using repo = GitRepo.withCommit({ "a.txt": "one\n" });
  await using _person = new Person(repo.path, repo.env());
  return await stressed((at) => work(repo, at), repo.root);
}

async function inOneSource(): Promise<number> {
  await using lines = await CommandLines.open();
  await using _person = new Person(lines.source);
  return await stressed(() => lines.session(), lines.source);
}

/** Gives the number of failures, and prints their causes without `root`. */
async function stressed(work: (at: number) => Promise<number>, root: string): Promise<number> {
  const failures = new Map<string, number>();
  let commits = 0;
  {
    using _load = new Load(availableParallelism());
    const points = Array.from({ length: sessions }, (_, at) => at);
    const hold = async (at: number) => {
      try {
        const made = await work(at);
        commits += made;
        return null;
      } catch (error) {
        const said = sayOf(error, root);
        failures.set(said, (failures.get(said) ?? 0) + 1);
        return said;
      }
    };
    await inParallel(points, hold);
  }
  for (const [what, times] of failures) process.stdout.write(`${times} × ${what}\n`);
  const sum = [...failures.values()].reduce((total, times) => total + times, 0);
  process.stdout.write(`${sessions} sessions, ${commits} commits, ${sum} failed\n`);
  return sum;
}

/** The error in words that are the same for every session, so that causes can be counted. */
function sayOf(error: unknown, root: string): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? `\n  from ${error.cause.message}` : "";
  return `${stack}${cause}`
    .replaceAll(root, "")
    .replace(/\d{8}-\d{6}-[0-9a-f]{6}/g, "<id>")
    .replace(/[0-9a-f]{40}/g, "<oid>");
}
