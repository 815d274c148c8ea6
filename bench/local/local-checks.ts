import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { CheckReport, CheckRequest, Checks, PytestReport, RuffReport } from "../../runner/hands/hands.js";
import type { TreeId } from "../../runner/support/ids.js";
import { git } from "../../test/helpers/fake-git.js";
import { environment } from "./local-work.js";
import { outputOf } from "./program.js";

/** Each check is a fresh `python -m pytest`, and ruff before it, on a fresh copy of the tree. It trusts what it is told. */
export class LocalChecks implements Checks {
  constructor(
    private readonly repo: string,
    private readonly bin: string,
  ) {}

  prepare(): void {}

  async run(request: CheckRequest): Promise<CheckReport> {
    const began = performance.now();
    return this.onCopy(request.tree, async (copy) => {
      const ruff = await this.lint(copy, request.ruffArgs);
      const pytest = await this.pytest(copy, request);
      return { judgeFiles: [], integrityNotes: [], ruff, pytest, own: null, ms: performance.now() - began };
    });
  }

  lintTree(tree: TreeId, ruffArgs: readonly string[]): Promise<RuffReport> {
    return this.onCopy(tree, (copy) => this.lint(copy, ruffArgs));
  }

  async lintFiles(): Promise<RuffReport> {
    return { exit: 0, timedOut: false, findings: [], problem: "", ms: 0 };
  }

  private async onCopy<T>(tree: TreeId, use: (copy: string) => Promise<T>): Promise<T> {
    const copy = mkdtempSync(join(tmpdir(), "tilth-bench-copy-"));
    const env = { GIT_INDEX_FILE: join(copy, ".index") };
    try {
      await git(["--git-dir", this.repo, "read-tree", tree], { env });
      await git(["--git-dir", this.repo, "--work-tree", copy, "checkout-index", "-a"], { env });
      return await use(copy);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  private async lint(copy: string, args: readonly string[]): Promise<RuffReport> {
    const began = performance.now();
    const argv = [join(this.bin, "ruff"), "check", "--output-format", "json", "--no-cache", ...args, "."];
    const { exit, output } = await outputOf(argv, { cwd: copy, env: environment(this.bin) });
    const findings = (JSON.parse(output.slice(0, output.lastIndexOf("]") + 1)) as RawFinding[]).map((raw) => ({
      path: relative(copy, raw.filename),
      rule: raw.code ?? "",
      line: raw.location.row,
      lineText: "",
      message: raw.message,
    }));
    return { exit, timedOut: false, findings, problem: "", ms: performance.now() - began };
  }

  private async pytest(copy: string, { staged }: CheckRequest): Promise<PytestReport> {
    const began = performance.now();
    const argv = [join(this.bin, "python"), "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"];
    const { output } = await outputOf([...argv, ...staged.map(({ path }) => path)], {
      cwd: copy,
      env: environment(this.bin),
    });
    const ids = staged.flatMap(({ path, source }) =>
      [...source.matchAll(/^def (test_\w+)/gm)].map(([, name]) => `${path}::${name}`),
    );
    const passed = new Set([...output.matchAll(/^PASSED (\S+)/gm)].map(([, id]) => id));
    const outcomeOf = (id: string) => (passed.has(id) ? "passed" : "failed");
    return {
      ...unquestioned,
      expected: ids.map((id) => ({ id, many: false })),
      results: ids.map((id) => ({ id, outcome: outcomeOf(id), text: "" })),
      output,
      ms: performance.now() - began,
    };
  }
}

interface RawFinding {
  readonly filename: string;
  readonly code: string | null;
  readonly message: string;
  readonly location: { readonly row: number };
}

const unquestioned: Omit<PytestReport, "expected" | "results" | "output" | "ms"> = {
  collectErrors: [],
  nonceSeen: true,
  finished: true,
  canaryFailed: true,
  exit: 1,
  signal: null,
  timedOut: false,
  died: false,
  missingModules: [],
  droppedOptions: [],
  unservedOptions: [],
};
