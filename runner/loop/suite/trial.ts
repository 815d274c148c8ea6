import { awakeMs } from "../../base/awake.js";
import type { TreeId } from "../../base/ids.js";
import { lazily } from "../../base/lazily.js";
import { type Baseline, fileOf, nameOf } from "../../checks/suite/baseline.js";
import { type ChangedTest, nothingFound, type SuiteFindings } from "../../checks/suite/findings.js";
import { nothingRan, passed } from "../../checks/suite/outcomes.js";
import { type Sides, sidesOf } from "../../checks/suite/sides.js";
import { isNotToBlame, pinsTheChange } from "../../checks/suite/sorted-out.js";
import { isExcepted, isHeld, type Suspect, suspectsIn } from "../../checks/suite/suspects.js";
import type { SuiteReport, SuiteRuns } from "../../hands/ports/checks/suite.js";
import type { Hands } from "../../hands/ports/hands.js";
import { missingTests } from "./missing-tests.js";
import type { SuiteQuestion } from "./question.js";

/** A suite that takes no longer than this is not split. */
const shortMs = 3_000;
/** The most time a few tests may take while a failure is looked into, given the time all of them took before. */
const longest = (baseMs: number) => 4 * baseMs + 5_000;

/** Runs the project's own tests, as the last accepted tree has them, on a submitted tree. */
export class SuiteTrial implements AsyncDisposable {
  readonly #suite: SuiteRuns;
  readonly #sides: Sides;
  readonly #started = awakeMs();
  readonly #mixed: () => Promise<TreeId>;
  readonly #oldCode: () => Promise<TreeId>;

  constructor(
    private readonly hands: Pick<Hands, "clerk" | "checks">,
    private readonly question: SuiteQuestion,
    private readonly signal: AbortSignal,
  ) {
    const { tree, last } = question;
    this.#suite = hands.checks.suite(tree);
    this.#sides = sidesOf(question.changes, question);
    this.#mixed = lazily(() => this.#treeOf(tree, last, this.#sides.unasked));
    this.#oldCode = lazily(() => this.#treeOf(last, tree, this.#sides.all));
  }

  /** Frees the container for others; later runs get a new one. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#suite[Symbol.asyncDispose]();
  }

  /** Splits the test files: first those the change can reach, or all of a short suite, then the rest. */
  async parts(): Promise<{ readonly first: readonly string[]; readonly rest: readonly string[] }> {
    const { baseline, tree, first, changes } = this.question;
    const files = this.#files();
    if (files.length === 0 || baseline.ms <= shortMs) return { first: files, rest: [] };
    const changed = changes.map(({ path }) => path);
    const reached = await this.#suite.touched({ tree, changed, files }, this.signal);
    const early = new Set([...reached, ...first, ...this.#sides.held.map(({ path }) => path)]);
    const late = files.filter((file) => !early.has(file));
    const unknown = (file: string) => baseline.notRun.has(file);
    return {
      first: files.filter((file) => early.has(file)),
      rest: [...late.filter(unknown), ...late.filter((file) => !unknown(file))],
    };
  }

  async run(files: readonly string[]): Promise<SuiteFindings> {
    if (files.length === 0) return nothingFound;
    const report = await this.#on(await this.#mixed(), files, this.#left);
    const { baseline } = this.question;
    const suspects = suspectsIn(report, baseline, files);
    const sorted = suspects.length === 0 ? nothingFound : await this.#sortedOut(suspects);
    const held = report.results.filter(({ id }) => isHeld(baseline, nameOf(id)));
    return {
      ...sorted,
      ran: held.length,
      notRun: [...new Set(report.notRun.map(fileOf))],
      mended: report.results.filter((result) => passed(result) && isFailing(baseline, result.id)).map(({ id }) => id),
    };
  }

  /** Finds tests that the change takes away. */
  missing(): Promise<SuiteFindings> {
    const { signal } = this;
    const run = (files: readonly string[]) => this.#on(this.question.tree, files, longest(this.question.baseline.ms));
    return missingTests({ question: this.question, sides: this.#sides, suite: this.#suite, run, signal });
  }

  /**
   * Runs tests that an earlier task rewrote without need as they were before it, so that no later change hides behind
   * that rewrite.
   */
  async outdated(): Promise<SuiteFindings> {
    const { rewritten, held } = this.question.baseline;
    const found: ChangedTest[] = [];
    for (const since of new Set(rewritten.values())) {
      const files = [...rewritten].filter(([file, tree]) => tree === since && held.has(file)).map(([file]) => file);
      if (files.length > 0) found.push(...(await this.#asOf(since, files)));
    }
    return { ...nothingFound, outdated: found };
  }

  async #asOf(since: TreeId, files: readonly string[]): Promise<readonly ChangedTest[]> {
    const { baseline, tree, last } = this.question;
    const now = await this.#on(await this.#withTestsOf(since, tree), files, longest(baseline.ms));
    const suspects = suspectsIn(now, baseline, files);
    if (suspects.length === 0) return [];
    const before = await this.#on(await this.#withTestsOf(since, last), files, longest(baseline.ms));
    return suspects.filter((suspect) => !isNotToBlame(suspect, before, baseline));
  }

  async #withTestsOf(since: TreeId, tree: TreeId): Promise<TreeId> {
    const changes = await this.hands.clerk.changes(since, tree, this.signal);
    return this.#treeOf(tree, since, sidesOf(changes, this.question).unasked);
  }

  /** Test files that the change rewrites. */
  get rewritten(): readonly string[] {
    return this.#sides.held.filter(({ status }) => status !== "deleted").map(({ path }) => path);
  }

  get #left(): number {
    return this.question.seconds * 1000 - (awakeMs() - this.#started);
  }

  /** Doctests in deleted code are gone with the code. */
  #files(): readonly string[] {
    const { baseline, changes } = this.question;
    const deleted = new Set(changes.filter(({ status }) => status === "deleted").map(({ path }) => path));
    const all = [...new Set([...baseline.held.keys(), ...baseline.notRun])];
    const stays = (file: string) => !baseline.inCode.has(file) || !deleted.has(file);
    return all.filter((file) => stays(file) && (baseline.notRun.has(file) || baseline.held.get(file)?.size !== 0));
  }

  #on(tree: TreeId, files: readonly string[], budgetMs: number): Promise<SuiteReport> {
    const { staged: leftOut } = this.question;
    return this.#suite.run({ tree, files, leftOut, budgetMs: Math.max(1_000, budgetMs) }, this.signal);
  }

  async #treeOf(tree: TreeId, other: TreeId, paths: readonly string[]): Promise<TreeId> {
    return paths.length === 0 ? tree : this.hands.clerk.mixed(tree, other, paths, this.signal);
  }

  /**
   * Runs the suspects once more, then without the change, then as the change has them: the first run that explains a
   * test settles it.
   */
  async #sortedOut(suspects: readonly Suspect[]): Promise<SuiteFindings> {
    const { baseline, last, sameEnvironment } = this.question;
    const again = await this.#suspectsOn(await this.#mixed(), suspects);
    const onLast = sameEnvironment && again.length > 0 ? await this.#run(last, again) : null;
    // tests that there was no time for before the last commit may have been broken by it, which shows only now
    const unseen = ({ held, name }: Suspect) => held && baseline.notRun.has(fileOf(name));
    const excused = onLast
      ? again.filter((suspect) => !unseen(suspect) && isNotToBlame(suspect, onLast, baseline))
      : [];
    const blamed = again.filter((suspect) => !excused.includes(suspect) && (suspect.held || sameEnvironment));
    const cured = suspects.filter(({ name }) => !again.some((suspect) => suspect.name === name));
    const judged = blamed.length === 0 ? nothingFound : await this.#heldAgainst(blamed);
    return { ...judged, excused: [...cured, ...excused].map(({ name }) => name) };
  }

  async #suspectsOn(tree: TreeId, suspects: readonly Suspect[]): Promise<readonly Suspect[]> {
    const wanted = new Set(suspects.map(({ name }) => name));
    const report = await this.#run(tree, suspects);
    const found = suspectsIn(report, this.question.baseline, filesOf(suspects));
    const late = new Set(report.notRun.map(nameOf));
    return [...found.filter(({ name }) => wanted.has(name)), ...suspects.filter(({ name }) => late.has(name))];
  }

  async #heldAgainst(blamed: readonly Suspect[]): Promise<SuiteFindings> {
    const { baseline, tree } = this.question;
    const plain = (suspect: Suspect) => ({ name: suspect.name, why: "fails" as const, text: suspect.text });
    if (this.#sides.all.length === 0) return { ...nothingFound, failures: blamed.map(plain) };
    const own = await this.#run(tree, blamed);
    const onOldCode = await this.#run(await this.#oldCode(), blamed);
    const changed: ChangedTest[] = [];
    const failures: SuiteFindings["failures"][number][] = [];
    for (const suspect of blamed) {
      const how = pinsTheChange(suspect, { own, onOldCode }, baseline);
      if (how === "pins") changed.push({ name: suspect.name, text: suspect.text });
      // a missing test is reported by `missing`
      else if (how !== "gone" || baseline.inCode.has(fileOf(suspect.name)))
        failures.push({ ...plain(suspect), why: how === "weakened" ? how : "fails" });
    }
    return { ...nothingFound, changed, failures };
  }

  async #run(tree: TreeId, suspects: readonly Suspect[]): Promise<SuiteReport> {
    const there = filesOf(suspects).filter((file) => this.#isThere(tree, file));
    // without any file, pytest would collect them all
    if (there.length === 0) return nothingRan;
    return this.#on(tree, there, longest(this.question.baseline.ms));
  }

  /** A file that the change deletes is missing from the submitted tree. */
  #isThere(tree: TreeId, file: string): boolean {
    if (tree !== this.question.tree) return true;
    return !this.question.changes.some(({ path, status }) => path === file && status === "deleted");
  }
}

function filesOf(suspects: readonly Suspect[]): readonly string[] {
  return [...new Set(suspects.map(({ name }) => fileOf(name)))];
}

function isFailing(baseline: Baseline, id: string): boolean {
  return isExcepted(baseline, id) && baseline.failing.some((one) => one === id || one === nameOf(id));
}
