import { Interrupted } from "../../runner/base/errors.js";
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
import type { StagedFacts, StagedTest } from "../../runner/hands/ports/checks/staged.js";
import type { SuiteRuns } from "../../runner/hands/ports/checks/suite.js";
import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
import { FakeSuite, type FilesOf } from "./fake-suite.js";

/** Text of a file of the tree that is judged, or null when the tree has none at that path. */
export type ReadTree = (path: string) => Promise<string | null>;
export type CheckFunction = (request: CheckRequest, read: ReadTree) => CheckReport | Promise<CheckReport>;

const cleanRuff: RuffReport = {
  ...{ exit: 0, timedOut: false, findings: [], problem: "", ms: 1 },
  older: { same: [], changed: [], findings: [] },
};

/** Every staged test passes, except those whose source imports a module (`from x import`, `import x`) the tree lacks. */
export const passWhatTheTreeHas: CheckFunction = async (request, read) => {
  const outcomes = await Promise.all(
    request.staged.map(async ({ path, source }) => ({
      ids: testIds(path, source),
      missing: await missingModules(source, read),
    })),
  );
  const missing = [...new Set(outcomes.flatMap((outcome) => outcome.missing))];
  const results = outcomes.flatMap(({ ids, missing: lacked }) =>
    ids.map((id) => ({
      id,
      outcome: lacked.length ? ("error" as const) : ("passed" as const),
      text: lacked.length ? `ModuleNotFoundError: No module named '${lacked[0]}'` : "",
    })),
  );
  return report(results, missing);
};

function report(results: PytestReport["results"], missing: string[]): CheckReport {
  const pytest: PytestReport = {
    expected: results.map(({ id }) => ({ id, many: false })),
    results,
    collectErrors: [],
    nonceSeen: true,
    finished: true,
    canaryFailed: true,
    exit: 1,
    signal: null,
    timedOut: false,
    died: false,
    missingModules: missing,
    droppedOptions: [],
    unservedOptions: [],
    installedIn: "image",
    reached: {},
    opened: [],
    ground: [],
    betrayals: [],
    agreed: [],
    given: {},
    output: "",
    ms: 1,
  };
  return {
    judgeFiles: [],
    findings: [],
    integrityNotes: [],
    rewritten: [],
    ruff: cleanRuff,
    pytest,
    own: null,
    ownBefore: null,
    ms: 1,
  };
}

function testIds(path: string, source: string): string[] {
  return [...source.matchAll(/^def (test_\w+)/gm)].map((match) => `${path}::${match[1]}`);
}

const given = new Set([
  "pytest",
  "os",
  "sys",
  "re",
  "json",
  "math",
  "pathlib",
  "subprocess",
  "unittest",
  "typing",
  "ast",
]);

async function missingModules(source: string, read: ReadTree): Promise<string[]> {
  const missing: string[] = [];
  for (const [, name = ""] of source.matchAll(/^\s*(?:from|import)\s+([\w.]+)/gm)) {
    const stem = name.replaceAll(".", "/");
    const places = [stem, `src/${stem}`].flatMap((place) => [`${place}.py`, `${place}/__init__.py`]);
    const found = await Promise.all(places.map(read));
    if (!given.has(name) && found.every((text) => text === null)) missing.push(name);
  }
  return missing;
}

const nothingAsked: Omit<CheckRequest, "tree" | "last" | "staged" | "allStaged" | "since"> = {
  facts: [],
  ranRed: [],
  opened: [],
  added: [],
  changed: [],
  taskText: "",
  timeoutMs: 1_000,
};

function factsOf({ path, source }: StagedTest): StagedFacts {
  const tests = testIds(path, source).map((id) => ({
    id,
    keepGreen: null,
    alwaysLeftOut: false,
    asserts: false,
    criteria: [],
  }));
  return { path, problem: "", tests, assertions: [] };
}

export class FakeChecks implements Checks {
  readonly requests: CheckRequest[] = [];
  readonly counted: CounterRequest[] = [];
  readonly own: FakeSuite;
  prepared = 0;

  constructor(
    private readonly judge: CheckFunction,
    private readonly readBlob: (tree: TreeId, path: string) => Promise<string | null>,
    filesOf: FilesOf = () => new Map(),
  ) {
    this.own = new FakeSuite(filesOf);
  }

  prepare(): void {
    this.prepared += 1;
  }

  async run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport> {
    if (signal.aborted) throw new Interrupted();
    this.requests.push(request);
    return this.judge(request, (path) => this.readBlob(request.tree, path));
  }

  /** A staged file is red as long as the tree lacks what it imports. */
  async red({ tree, run, read, onRun }: RedRequest, signal: AbortSignal): Promise<RedReport> {
    if (signal.aborted) throw new Interrupted();
    let done = 0;
    const runs = run.map(async (test) => {
      const since = { base: tree, taskTexts: [] };
      const request = { ...nothingAsked, since, tree, last: tree, staged: [test], allStaged: [test] };
      const { pytest } = await passWhatTheTreeHas(request, (path) => this.readBlob(tree, path));
      if (pytest === null) throw new Error("the fake ran nothing");
      done += 1;
      onRun?.(done);
      return { path: test.path, pytest };
    });
    return { facts: [...run, ...read].map(factsOf), runs: await Promise.all(runs), declared: [] };
  }

  async counter(request: CounterRequest, signal: AbortSignal): Promise<CounterReport> {
    if (signal.aborted) throw new Interrupted();
    this.counted.push(request);
    return { reached: request.sites, caught: [], leftOut: [], failedAgain: null, ms: 1 };
  }

  suite(): SuiteRuns {
    return this.own;
  }

  async ruffRules(): Promise<RuffRules> {
    return pinnedRules;
  }

  async lintFiles(): Promise<RuffReport> {
    return cleanRuff;
  }
}
