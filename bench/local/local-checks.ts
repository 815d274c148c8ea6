import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TreeId } from "../../runner/base/ids.js";
import type {
  CheckReport,
  CheckRequest,
  Checks,
  RedReport,
  RedRequest,
} from "../../runner/hands/ports/checks/checks.js";
import type { CounterReport, CounterRequest } from "../../runner/hands/ports/checks/counter.js";
import type { PytestReport } from "../../runner/hands/ports/checks/pytest.js";
import type { RuffReport, RuffRules } from "../../runner/hands/ports/checks/ruff.js";
import type { AssertionSite, StagedFacts, StagedFunction, StagedTest } from "../../runner/hands/ports/checks/staged.js";
import type { SuiteRuns } from "../../runner/hands/ports/checks/suite.js";
import { pinnedRules, ruffCheck } from "../../runner/hands/roles/ruff-rules.js";
import { git } from "../../test/helpers/fake-git.js";
import { FakeSuite } from "../../test/helpers/fake-suite.js";
import { environment } from "./local-work.js";
import { outputOf } from "./program.js";

const nothingOlder = { same: [], changed: [], findings: [] };

/**
 * Each check is a fresh `python -m pytest`, with ruff before it, on a fresh copy of the tree. It believes the reports.
 */
export class LocalChecks implements Checks {
  constructor(
    private readonly repo: string,
    private readonly bin: string,
  ) {}

  prepare(): void {}

  async run(request: CheckRequest): Promise<CheckReport> {
    const began = performance.now();
    return this.onCopy(request.tree, async (copy) => {
      const ruff = await this.lint(copy);
      const pytest = await this.pytest(copy, request.staged);
      return {
        judgeFiles: [],
        findings: [],
        integrityNotes: [],
        rewritten: [],
        ruff,
        pytest,
        own: null,
        ownBefore: null,
        ms: performance.now() - began,
      };
    });
  }

  async red({ tree, run, read }: RedRequest): Promise<RedReport> {
    const runs: RedReport["runs"][number][] = [];
    for (const test of run) {
      runs.push({ path: test.path, pytest: await this.onCopy(tree, (copy) => this.pytest(copy, [test])) });
    }
    return { facts: [...run, ...read].map(factsOf), runs, declared: [] };
  }

  async counter({ tree, staged, sites }: CounterRequest): Promise<CounterReport> {
    const began = performance.now();
    const caught: CounterReport["caught"][number][] = [];
    for (const site of sites) {
      const { results } = await this.onCopy(tree, async (copy) => {
        await negate(copy, site);
        return this.pytest(copy, staged);
      });
      if (results.every(({ outcome }) => outcome === "passed")) caught.push({ site, tests: [], why: null });
    }
    return { reached: sites, caught, leftOut: [], failedAgain: null, ms: performance.now() - began };
  }

  async ruffRules(): Promise<RuffRules> {
    return this.rules;
  }

  /** The measured projects have no tests of their own. */
  suite(): SuiteRuns {
    return new FakeSuite(() => new Map());
  }

  async lintFiles(): Promise<RuffReport> {
    return { exit: 0, timedOut: false, findings: [], older: nothingOlder, problem: "", ms: 0 };
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

  private get rules(): RuffRules {
    return { ...pinnedRules, program: join(this.bin, "ruff") };
  }

  private async lint(copy: string): Promise<RuffReport> {
    const began = performance.now();
    const argv = [...ruffCheck(this.rules, "--output-format", "json"), "."];
    const { exit, output } = await outputOf(argv, { cwd: copy, env: environment(this.bin) });
    const findings = (JSON.parse(output.slice(0, output.lastIndexOf("]") + 1)) as RawFinding[]).map((raw) => ({
      path: relative(copy, raw.filename),
      rule: raw.code ?? "",
      line: raw.location.row,
      lineText: "",
      message: raw.message,
    }));
    return { exit, timedOut: false, findings, older: nothingOlder, problem: "", ms: performance.now() - began };
  }

  private async pytest(copy: string, staged: readonly StagedTest[]): Promise<PytestReport> {
    const began = performance.now();
    const argv = [join(this.bin, "python"), "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"];
    const { output } = await outputOf([...argv, ...staged.map(({ path }) => path)], {
      cwd: copy,
      env: environment(this.bin),
    });
    const facts = staged.map(factsOf);
    const ids = facts.flatMap(({ tests }) => tests.map(({ id }) => id));
    const passed = new Set([...output.matchAll(/^PASSED (\S+)/gm)].map(([, id]) => id));
    const outcomeOf = (id: string) => (passed.has(id) ? "passed" : "failed");
    return {
      ...unquestioned,
      expected: ids.map((id) => ({ id, many: false })),
      results: ids.map((id) => ({ id, outcome: outcomeOf(id), text: "" })),
      reached: reachedBy(facts),
      output,
      ms: performance.now() - began,
    };
  }
}

/** The tests of the bench are flat: functions, and one assertion to a line. */
function factsOf({ path, source }: StagedTest): StagedFacts {
  const tests: StagedFunction[] = [];
  const assertions: AssertionSite[] = [];
  for (const [index, line] of source.split("\n").entries()) {
    const name = /^def (test_\w+)/.exec(line)?.[1];
    if (name !== undefined)
      tests.push({ id: `${path}::${name}`, keepGreen: null, alwaysLeftOut: false, asserts: true, criteria: [] });
    if (/^ +assert /.test(line))
      assertions.push({ id: `${path}:${index + 1}:4`, test: tests.at(-1)?.id ?? null, unfair: null });
  }
  return { path, problem: "", tests, assertions };
}

function reachedBy(facts: readonly StagedFacts[]): PytestReport["reached"] {
  const sites = facts.flatMap(({ assertions }) => assertions);
  return Object.fromEntries(
    facts.flatMap(({ tests }) =>
      tests.map(({ id }) => [id, sites.filter(({ test }) => test === id).map((site) => site.id)]),
    ),
  );
}

async function negate(copy: string, site: string): Promise<void> {
  const [path = "", line = ""] = site.split(":");
  const file = join(copy, path);
  const lines = (await readFile(file, "utf8")).split("\n");
  const at = Number(line) - 1;
  lines[at] = (lines[at] ?? "").replace(/assert (.*)$/, "assert not ($1)");
  await writeFile(file, lines.join("\n"));
}

interface RawFinding {
  readonly filename: string;
  readonly code: string | null;
  readonly message: string;
  readonly location: { readonly row: number };
}

const unquestioned: Omit<PytestReport, "expected" | "results" | "reached" | "output" | "ms"> = {
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
  installedIn: "image",
  opened: [],
  ground: [],
  betrayals: [],
  agreed: [],
  given: {},
};
