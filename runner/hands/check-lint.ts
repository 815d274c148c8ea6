import { posix } from "node:path";
import { linesReport, reportAs, ruffFindings } from "./check-replies.js";
import type { RuffFinding, RuffReport } from "./checks-port.js";
import { containerPaths } from "./container-paths.js";
import { streamReply } from "./runner-replies.js";
import { type CheckContainer, graceMs, type Zygote } from "./zygote.js";

const mostOutput = 64 * 1024 * 1024;
const mostFindings = 20_000;

interface LintRun {
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** ruff over all of /workspace, which holds nothing that has run yet. */
export async function lintWorkspace(container: CheckContainer, zygote: Zygote, run: LintRun): Promise<RuffReport> {
  const { said, output } = await ruff(container, run);
  const base = { exit: said.exit, timedOut: said.timed_out, ms: said.ms };
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

async function ruff(container: CheckContainer, { args, timeoutMs, env, signal }: LintRun) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const argv = [`${containerPaths.tools}/ruff`, "check", "--output-format", "json", "--no-cache"];
  const said = await container.call(
    "exec",
    {
      argv: [...argv, "--no-respect-gitignore", ...args, "."],
      cwd: containerPaths.workspace,
      env,
      timeout_ms: Math.ceil(timeoutMs),
      output: "stream",
      stdin: false,
    },
    {
      signal,
      timeoutMs: timeoutMs + graceMs,
      // findings without number are the tree's doing; what is too much is dropped here
      mostBytes: Number.POSITIVE_INFINITY,
      onData: (chunk) => {
        bytes += chunk.length;
        if (bytes <= mostOutput) chunks.push(chunk);
      },
    },
  );
  return { said: streamReply.parse(said), output: Buffer.concat(chunks) };
}

/** A finding is known again by the text of its line, not by its number. */
async function withLines(
  zygote: Zygote,
  findings: readonly Omit<RuffFinding, "lineText">[],
  signal: AbortSignal,
): Promise<readonly RuffFinding[]> {
  if (findings.length === 0) return [];
  const request = {
    payload: { do: "lines", root: containerPaths.workspace },
    input: findings.map(({ path, line }) => [path, line]),
  };
  const { lines } = await zygote.ask(request, linesReport, signal);
  return findings.map((finding, at) => ({ ...finding, lineText: lines[at] ?? "" }));
}
