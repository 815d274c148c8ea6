import { TilthError } from "../../../base/errors.js";
import { commitId, hostPath } from "../../../base/ids.js";
import type { SessionFiles } from "../../../session/session-files.js";
import type { Settings } from "../../../settings/settings.js";
import { HostGit } from "../../../source/git/host-git.js";
import { preflightSource, type Source } from "../../../source/preflight/preflight.js";
import { absent, type Findings } from "../log/findings.js";
import { compareRedTree, compareTrees } from "../log/log-judgements.js";
import type { Recorded } from "../recorded/recorded.js";
import { compareBranch, compareMessages, linksIn } from "./branch-against-log.js";
import { readCommits } from "./commit-objects.js";
import {
  type Chain,
  type CommittedTest,
  committedTests,
  compareSeedFolder,
  compareTestsInTrees,
} from "./seed-bytes.js";

export interface Committed extends Chain {
  readonly tests: readonly CommittedTest[];
}

interface Means {
  readonly settings: Settings;
  readonly files: SessionFiles;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Compares the session's commits in the source with the log; null if too little is left to run checks on. */
export async function compareCommits(recorded: Recorded, means: Means): Promise<Committed | null> {
  const { state, log, acceptances } = recorded;
  const { findings } = means;
  const start = log.of("session_start")[0]?.payload ?? state.checkpoint;
  const source = start && (await sourceAt(start.source, means));
  const chain =
    source && (await givenByGit(source, findings, () => chainOf(source, start.base_commit, recorded, means)));
  const treeOf = (sha: string) => chain?.commits.get(sha)?.tree ?? null;
  compareTrees(log, acceptances, { treeOf, findings });
  if (!source || !chain) return tooLittle(findings, "the commits of the source");
  compareRedTrees(recorded, chain, findings);
  if (state.prd !== null) compareMessages(acceptances, chain.commits, { prd: state.prd, id: recorded.id, findings });
  nameMissing(chain, findings);
  return givenByGit(source, findings, () => compareTests(chain, means));
}

async function chainOf(
  source: Source,
  base_commit: string,
  { log, id }: Recorded,
  { findings, signal }: Means,
): Promise<Chain> {
  const [links, base] = [linksIn(log), commitId(base_commit)];
  const commits = await readCommits(source, [base, ...links.map(({ sha }) => sha)], signal);
  await compareBranch({ source, id, base, links }, findings, signal);
  return { source, base, links, commits };
}

async function compareTests(chain: Chain, { files, findings, signal }: Means): Promise<Committed | null> {
  const { base, links, commits } = chain;
  const needed = [base, ...links.filter(({ logged }) => logged.type === "seed_committed").map(({ sha }) => sha)];
  if (needed.some((sha) => !commits.has(sha))) return tooLittle(findings, "the base or the seed's commit");
  const tests = await committedTests(chain, findings, signal);
  compareSeedFolder(files, tests, findings);
  await compareTestsInTrees(chain, tests, findings, signal);
  return { ...chain, tests };
}

async function sourceAt(path: string, { settings, findings, signal }: Means): Promise<Source | null> {
  const git = HostGit.find(settings.host);
  try {
    return await preflightSource(path, { git, home: hostPath(settings.home), trust: false, signal });
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "usage") throw error;
    findings.differ({ what: "source", where: path, expected: "the repository", seen: error.message });
    return null;
  }
}

/** Git stops at a damaged object and names it. */
async function givenByGit<T>(source: Source, findings: Findings, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    const expected = "commits that git can read";
    findings.differ({ what: "commits", where: source.workTree, expected, seen: error.message });
    return null;
  }
}

/** Reports missing commits: git's own tidying may have removed objects that no branch holds. */
function nameMissing({ base, links, commits }: Chain, findings: Findings): void {
  for (const { sha, name } of [{ sha: base, name: "the base" }, ...links])
    if (!commits.has(sha))
      findings.differ({
        what: `commit of ${name}`,
        where: sha,
        expected: "a whole commit in the source",
        seen: absent,
      });
}

function compareRedTrees({ acceptances }: Recorded, { links, commits }: Chain, findings: Findings): void {
  for (const acceptance of acceptances) {
    const at = links.findIndex(({ logged }) => logged === acceptance.commit);
    const began = commits.get(links[at - 1]?.sha ?? "")?.tree;
    if (began !== undefined) compareRedTree(acceptance, began, findings);
  }
}

function tooLittle(findings: Findings, without: string): null {
  findings.remarks.push(`without ${without} no staged test was compared and no check was run again`);
  return null;
}
