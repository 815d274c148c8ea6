import { posix } from "node:path";
import type { TreeId } from "../../../../base/ids.js";
import { ResidentRefusal } from "../../../pipe/channel-errors.js";
import { perform } from "../../../pipe/perform.js";
import { checkRequests } from "../../../pipe/wire/check.js";
import { operations } from "../../../pipe/wire/operations.js";
import type { OlderFindings, RuffFinding, RuffReport, RuffRules } from "../../../ports/checks/ruff.js";
import type { StagedTest } from "../../../ports/checks/staged.js";
import { containerPaths } from "../../../ports/container-paths.js";
import { ruffCheck } from "../../ruff-rules.js";
import type { WarmCheck } from "../containers/pool.js";
import { reportAs, ruffFindings } from "../containers/replies.js";
import { type CheckSandbox, graceMs, type Zygote } from "../containers/zygote.js";

const writeMs = 30_000;
const mostOutput = 64 * 1024 * 1024;
const mostFindings = 20_000;

export interface LintRun {
  readonly rules: RuffRules;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const nothingOlder: OlderFindings = { same: [], changed: [], findings: [] };

/** Runs ruff over all of /workspace, in which nothing has run yet. */
export async function lintWorkspace(
  { container, zygote }: Pick<WarmCheck, "container" | "zygote">,
  run: LintRun,
): Promise<RuffReport> {
  const ran = await ruff(container, run).catch(asNotStarted);
  if (typeof ran === "string")
    return { exit: null, timedOut: false, findings: [], older: nothingOlder, problem: ran, ms: 0 };
  const { said, output } = ran;
  const base = { exit: said.exit, timedOut: said.timed_out, older: nothingOlder, ms: said.ms };
  const raw = reportAs(ruffFindings, output);
  if (said.timed_out || raw === null || (said.exit !== 0 && said.exit !== 1)) {
    const problem = said.timed_out ? "" : said.stderr.trim() || `ruff ended with ${said.exit ?? said.signal}`;
    return { ...base, findings: [], problem };
  }
  const findings = raw.slice(0, mostFindings).map(({ filename, code, message, location }) => ({
    path: posix.relative(containerPaths.workspace, filename),
    rule: code ?? "invalid-syntax",
    line: location?.row ?? 0,
    message,
  }));
  return { ...base, findings: await withLines(zygote, findings, run.signal), problem: "" };
}

/** Runs ruff over files that are in no tree yet. */
export async function lintSources(check: WarmCheck, files: readonly StagedTest[], run: LintRun): Promise<RuffReport> {
  for (const { path, source } of files) {
    const options = { signal: run.signal, timeoutMs: writeMs, input: Buffer.from(source) };
    await perform(check.container, operations.write, { path, lint: null }, options);
  }
  return lintWorkspace(check, run);
}

interface Since {
  readonly base: TreeId;
  readonly tree: TreeId;
}

/** Looks up the base's findings in the same files. If it had to run ruff, /workspace is not the tree afterwards. */
export async function olderFindings(
  check: WarmCheck,
  found: readonly RuffFinding[],
  { base, tree, ...run }: LintRun & Since,
): Promise<OlderFindings> {
  const paths = [...new Set(found.map(({ path }) => path))];
  if (paths.length === 0) return nothingOlder;
  const payload = { repo: containerPaths.repo, base, tree, root: containerPaths.workspace };
  const older = await check.zygote.ask(checkRequests.older, { payload, input: paths }, run.signal);
  if (older.changed.length === 0) return { ...older, findings: [] };
  const changed = new Set(older.changed.map(({ path }) => path));
  const { findings } = await lintWorkspace(check, run);
  return { ...older, findings: findings.filter(({ path }) => changed.has(path)) };
}

async function ruff(container: CheckSandbox, { rules, timeoutMs, env, signal }: LintRun) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const argv = [...ruffCheck(rules, "--output-format", "json", "--no-respect-gitignore"), "."];
  const said = await perform(
    container,
    operations.stream,
    {
      argv,
      cwd: containerPaths.workspace,
      env,
      timeout_ms: Math.ceil(timeoutMs),
      output: "stream",
      stdin: false,
      disk_bytes: 0,
    },
    {
      signal,
      timeoutMs: timeoutMs + graceMs,
      // a tree may cause any number of findings; output beyond the limit is dropped here
      mostBytes: Number.POSITIVE_INFINITY,
      onData: (chunk) => {
        bytes += chunk.length;
        if (bytes <= mostOutput) chunks.push(chunk);
      },
    },
  );
  return { said, output: Buffer.concat(chunks) };
}

/** A project's environment can bring a ruff that nobody can run. */
function asNotStarted(error: unknown): string {
  if (error instanceof ResidentRefusal && error.code === "io") return error.message;
  throw error;
}

/** Adds the text of each finding's line, because findings are compared by text and not by line number. */
async function withLines(
  zygote: Zygote,
  findings: readonly Omit<RuffFinding, "lineText">[],
  signal: AbortSignal,
): Promise<readonly RuffFinding[]> {
  if (findings.length === 0) return [];
  const payload = { root: containerPaths.workspace };
  const input = findings.map(({ path, line }) => [path, line] as const);
  const { lines } = await zygote.ask(checkRequests.lines, { payload, input }, signal);
  return findings.map((finding, at) => ({ ...finding, lineText: lines[at] ?? "" }));
}
