import { TilthError } from "../../../base/errors.js";
import { type CommitId, commitId, type SessionId } from "../../../base/ids.js";
import { commitMessage } from "../../../loop/commit-message.js";
import type { Prd } from "../../../session/state/prd.js";
import type { Source } from "../../../source/preflight/preflight.js";
import { branchRef, branchTip } from "../../../source/refs/branch-ref.js";
import type { Acceptance } from "../log/acceptances.js";
import { absent, type Findings } from "../log/findings.js";
import { type LoggedEvent, lineOfLog, type RecordedLog } from "../log/recorded-log.js";
import { branchAbove, type CommitObject } from "./commit-objects.js";

/** One commit in the log, in the order in which the commits follow each other on the branch. */
export interface Link {
  readonly logged: LoggedEvent<"seed_committed"> | LoggedEvent<"commit">;
  readonly sha: CommitId;
  /** its name for a person: `the seed`, `T-002` */
  readonly name: string;
}

export function linksIn(log: RecordedLog): readonly Link[] {
  return log.of("seed_committed", "commit").map((logged) => ({
    logged,
    sha: commitId(logged.payload.sha),
    name: logged.type === "commit" ? logged.payload.task_id : "the seed",
  }));
}

export interface RecordedBranch {
  readonly source: Source;
  readonly id: SessionId;
  readonly base: CommitId;
  readonly links: readonly Link[];
}

/** Checks that the branch has exactly the log's commits, one after the other from the base on. */
export async function compareBranch(
  { source, id, base, links }: RecordedBranch,
  findings: Findings,
  signal: AbortSignal,
): Promise<void> {
  const ref = branchRef(id);
  const tip = await tipOf(source, id, findings, signal);
  if (tip === undefined) return;
  if (tip === null) {
    const expected = links.at(-1)?.sha ?? base;
    findings.differ({ what: "branch", where: `${ref} of '${source.workTree}'`, expected, seen: "it is gone" });
    return;
  }
  const limit = links.length + 1_000;
  const commits = await branchAbove(source, { tip, base, limit }, signal);
  compareChain(ref, commits, links, findings);
  if (commits[0] && commits[0].parents[0] !== base) {
    const seen = commits[0].parents[0] ?? "it has no parent";
    findings.differ({ what: "branch", where: `parent of ${commits[0].id} on ${ref}`, expected: base, seen });
  }
  for (const { id: sha, parents } of commits)
    if (parents.length > 1)
      findings.differ({
        what: "branch",
        where: `parents of ${sha} on ${ref}`,
        expected: "one",
        seen: parents.join(", "),
      });
  findings.compared.push(`the ${links.length} commits of ${ref} from the base on, with the log`);
}

/** Undefined if the name is no longer a branch of its own; that has been reported then. */
async function tipOf(
  source: Source,
  id: SessionId,
  findings: Findings,
  signal: AbortSignal,
): Promise<CommitId | null | undefined> {
  try {
    return await branchTip(source, id, signal);
  } catch (error) {
    if (!(error instanceof TilthError) || error.code !== "branch_moved") throw error;
    findings.differ({ what: "branch", where: branchRef(id), expected: "a branch of its own", seen: error.message });
    return undefined;
  }
}

function compareChain(ref: string, commits: readonly CommitObject[], links: readonly Link[], findings: Findings): void {
  for (let at = 0; at < Math.max(commits.length, links.length); at += 1) {
    const [link, commit] = [links[at], commits[at]];
    if (link?.sha === commit?.id) continue;
    findings.differ({
      what: link ? `commit of ${link.name}` : "a commit that the log has not",
      where: `${ref}, commit ${at + 1} above the base`,
      expected: link ? `${link.sha} of ${lineOfLog(link.logged)}` : absent,
      seen: commit ? commit.id : absent,
    });
  }
}

/** Checks that subject and trailers of each accepted commit name its session and its task, as in prd.json. */
export function compareMessages(
  acceptances: readonly Acceptance[],
  commits: ReadonlyMap<string, CommitObject>,
  { prd, id, findings }: { readonly prd: Prd; readonly id: SessionId; readonly findings: Findings },
): void {
  for (const { taskId, commit } of acceptances) {
    const task = prd.find((one) => one.id === taskId);
    const object = commits.get(commit.payload.sha);
    if (task === undefined || object === undefined) continue;
    findings.hold(`message of the commit of ${taskId}`, object.id, {
      expected: endsOf(commitMessage({ task, summary: "", session: id })),
      seen: endsOf(object.message),
    });
  }
}

function endsOf(message: string): { readonly subject: string; readonly trailers: string } {
  const parts = message.trimEnd().split("\n\n");
  return { subject: parts[0] ?? "", trailers: parts.at(-1) ?? "" };
}
