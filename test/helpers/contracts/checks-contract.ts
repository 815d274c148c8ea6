import { expect, test } from "vitest";
import { Interrupted } from "../../../runner/base/errors.js";
import type { TreeId } from "../../../runner/base/ids.js";
import { judgementOf } from "../../../runner/checks/judgement.js";
import type { CheckRequest } from "../../../runner/hands/ports/checks/checks.js";
import { requestOf } from "../check-world.js";
import type { HandsPart, PreparedHands } from "./hands-contract.js";
import { treeWith } from "./in-hands.js";

const { signal } = new AbortController();
const path = "tests/test_t001_answer.py";
const staged = { path, source: "from answers import ANSWER\n\n\ndef test_answer():\n    assert ANSWER == 42\n" };
const passing = ["passed", `${path}::test_answer`];

interface Trees {
  /** has the staged test, and nothing that it imports */
  readonly before: TreeId;
  readonly solved: TreeId;
}

async function treesOf(prepared: PreparedHands): Promise<Trees> {
  const before = await treeWith(prepared, { [path]: staged.source });
  const solved = await treeWith(prepared, { [path]: staged.source, "answers.py": "ANSWER = 42\n" });
  return { before, solved };
}

function asking({ before }: Trees, tree: TreeId): CheckRequest {
  return requestOf({ tree, last: before, staged: [staged] });
}

/** Judgements of trees, as far as a fake may say them without Python. */
export const checksContract: HandsPart = (prepared) => {
  test("a tree that has what a staged test asks for passes, and one that lacks it says what", async () => {
    const { checks } = prepared().hands;
    const trees = await treesOf(prepared());
    checks.prepare();
    const solved = await checks.run(asking(trees, trees.solved), signal);
    expect(solved.pytest?.results.map(({ outcome, id }) => [outcome, id])).toEqual([passing]);
    expect(solved.pytest).toMatchObject({ nonceSeen: true, finished: true, canaryFailed: true, missingModules: [] });
    expect(judgementOf(solved, asking(trees, trees.solved)).checks.map(({ passed }) => passed)).toEqual([true, true]);
    const lacking = await checks.run(asking(trees, trees.before), signal);
    expect(lacking.pytest).toMatchObject({ finished: true, missingModules: ["answers"] });
    const failed = judgementOf(lacking, asking(trees, trees.before)).checks.map(({ passed }) => passed);
    expect(failed).toEqual([true, false]);
  });

  test("a staged test is red on a tree without its solution, and its facts come with it", async () => {
    const trees = await treesOf(prepared());
    const read = [{ path: "tests/test_t002_later.py", source: "def test_later():\n    assert True\n" }];
    const done: number[] = [];
    const request = { tree: trees.before, run: [staged], read, timeoutMs: 60_000 };
    const red = await prepared().hands.checks.red({ ...request, onRun: (count) => done.push(count) }, signal);
    expect(red.facts.map(({ path, tests, problem }) => [path, tests.map(({ id }) => id), problem])).toEqual([
      [path, [`${path}::test_answer`], ""],
      ["tests/test_t002_later.py", ["tests/test_t002_later.py::test_later"], ""],
    ]);
    expect(red.runs.map(({ path, pytest }) => [path, pytest.missingModules])).toEqual([[path, ["answers"]]]);
    expect(done).toEqual([1]);
  });

  test("an assertion that was reached could have said no", async () => {
    const { checks } = prepared().hands;
    const trees = await treesOf(prepared());
    const { pytest } = await checks.run(asking(trees, trees.solved), signal);
    const reached = pytest?.reached ?? {};
    const sites = [...new Set(Object.values(reached).flat())];
    const asked = { tree: trees.solved, staged: [staged], sites, reached, budgetMs: 60_000 };
    expect(await checks.counter(asked, signal)).toMatchObject({
      ...{ reached: sites, caught: [], leftOut: [], failedAgain: null },
    });
  });

  test("a project without a configuration has the pinned rules, and staged files are linted by them", async () => {
    const { hands, baseTree } = prepared();
    const rules = await hands.checks.ruffRules(baseTree, signal);
    expect(rules).toMatchObject({ refused: null, args: expect.arrayContaining(["--isolated"]) });
    expect(await hands.checks.lintFiles([staged], signal)).toMatchObject({ exit: 0, findings: [], problem: "" });
  });

  test("an interrupted check fails so", async () => {
    const { checks } = prepared().hands;
    const trees = await treesOf(prepared());
    const request = asking(trees, trees.solved);
    const aborted = AbortSignal.abort();
    const site = `${path}:5:4`;
    const reached = { [`${path}::test_answer`]: [site] };
    const counter = { tree: trees.solved, staged: [staged], sites: [site], reached, budgetMs: 60_000 };
    const red = { tree: trees.before, run: [staged], read: [], timeoutMs: 60_000 };
    await expect(checks.run(request, aborted)).rejects.toBeInstanceOf(Interrupted);
    await expect(checks.red(red, aborted)).rejects.toBeInstanceOf(Interrupted);
    await expect(checks.counter(counter, aborted)).rejects.toBeInstanceOf(Interrupted);
  });
};

const own = `def has(path, text):
    assert text in open(path).read()


def test_yes(): has("data/lines.txt", "three")
def test_no(): has("data/lines.txt", "five")
def test_too(): has("data/lines.txt", "three")
`;

/** Runs of the project's own tests. */
export const suiteContract: HandsPart = (prepared) => {
  const files = ["tests/test_own.py", "tests/test_other.py"] as const;
  const ownTree = () => treeWith(prepared(), { [files[0]]: own, [files[1]]: "def test_other(): pass\n" });

  test("each test says how it ended, and a file that was left out is not run", async () => {
    const tree = await ownTree();
    await using suite = prepared().hands.checks.suite();
    const report = await suite.run({ tree, files: null, leftOut: [files[1]], budgetMs: 60_000 }, signal);
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      [`${files[0]}::test_yes`, "passed"],
      [`${files[0]}::test_no`, "failed"],
      [`${files[0]}::test_too`, "passed"],
    ]);
    expect(report).toMatchObject({ finished: true, timedOut: false, died: false, notRun: [], collectErrors: [] });
  });

  test("a changed file touches the tests that need it, and bodies are told apart whatever they are called", async () => {
    const tree = await ownTree();
    await using suite = prepared().hands.checks.suite();
    expect(await suite.touched({ tree, changed: [files[0]], files }, signal)).toEqual([files[0]]);
    const [bodies = {}] = await suite.bodies([{ tree, path: files[0] }], signal);
    expect([bodies.test_yes === bodies.test_too, bodies.test_yes === bodies.test_no]).toEqual([true, false]);
  });

  test("an interrupted run fails so", async () => {
    const tree = await ownTree();
    await using suite = prepared().hands.checks.suite();
    const run = { tree, files: null, leftOut: [], budgetMs: 60_000 };
    await expect(suite.run(run, AbortSignal.abort())).rejects.toBeInstanceOf(Interrupted);
  });
};
