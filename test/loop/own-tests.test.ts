import { describe, expect, it } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import type { SuiteSettings } from "../../runner/settings/settings.js";
import { type CheckFunction, passWhatTheTreeHas } from "../helpers/fake-checks.js";
import { FakeModelClient } from "../helpers/fake-model-client.js";
import { testsIn } from "../helpers/fake-suite.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, type Call, calls, quiet, reject, submit, write } from "../helpers/loop-turns.js";

const testFile = "tests/test_calc.py";
const calcTests = 'def test_add(): has("calc.py", "add")\ndef test_sub(): has("calc.py", "sub")\n';
const project = { "calc.py": "add sub\n", [testFile]: calcTests, "AGENTS.md": "Keep it plain.\n" };
const solution = (n = 1) => write(`feature_${n}.py`, `value = ${n}\n`);
const solved = (...more: Call[]) => calls(solution(), ...more, submit());

/** The tests that a change adds or alters pass, as a check sees them. */
const withAdded: CheckFunction = async (request, read) => {
  const report = await passWhatTheTreeHas(request, read);
  if (request.added.length === 0 || report.pytest === null) return report;
  const sources = await Promise.all(request.added.map(async (path) => testsIn(path, (await read(path)) ?? "")));
  const results = sources.flat().map((id) => ({ id, outcome: "passed" as const, text: "" }));
  return { ...report, own: { ...report.pytest, expected: [], results } };
};

function opened(options: { tasks?: number; suite?: Partial<SuiteSettings>; files?: Record<string, string> } = {}) {
  return LoopSession.open({ files: project, check: withAdded, ...options });
}

describe("the project's own tests", () => {
  it("are run once as a base, and a change that breaks none of them is accepted", async () => {
    const session = await opened({ tasks: 2 });
    const run = await session.run({
      worker: [solved(), calls(solution(2), submit())],
      evaluator: [accept, accept],
    });
    expect(run.reason).toBe("all_done");
    expect(run.of("base_suite")).toMatchObject([
      { at: "task", passed: 2, held: { [testFile]: ["test_add", "test_sub"] } },
    ]);
    expect(run.of("suite_run")).toMatchObject([
      { passed: true, ran: 2, task_id: "T-001" },
      { passed: true, ran: 2, task_id: "T-002" },
    ]);
    const types = run.types;
    expect(types.indexOf("suite_run")).toBeLessThan(types.indexOf("counter_check"));
    expect(run.model.of("evaluator")[0]?.messages.at(-1)?.content).toContain("2 tests of the project's own");
  });

  it("keep a change that breaks them from the evaluator, and the same tree is not run again", async () => {
    const session = await opened();
    const broken = write("calc.py", "add\n");
    const run = await session.run({
      worker: [solved(broken), calls(submit()), calls(write("calc.py", "add sub\n"), submit())],
      evaluator: [accept],
    });
    const refused = run.answers.filter((answer) => answer.includes("own_tests"));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatch(
      /tests\/test_calc\.py::test_sub does not pass any more\nE {3}AssertionError: calc\.py has no sub/,
    );
    expect(run.of("suite_run").map(({ passed }) => passed)).toEqual([false, true]);
    expect([run.reason, run.model.of("evaluator").length]).toEqual(["all_done", 1]);
  });

  it("have no part in a session that runs the staged tests alone", async () => {
    const session = await opened({ suite: { mode: "off" } });
    const run = await session.run({ worker: [solved(write("calc.py", "add\n"))], evaluator: [accept] });
    expect([run.reason, run.of("suite_run").length, run.of("base_suite").length]).toEqual(["all_done", 0, 0]);
  });

  it("are only reported when a person has set it so", async () => {
    const session = await opened({ suite: { mode: "tell" } });
    const run = await session.run({ worker: [solved(write("calc.py", "add\n"))], evaluator: [accept] });
    expect(run.reason).toBe("all_done");
    expect(run.of("suite_run")).toMatchObject([{ passed: true, failed: [`${testFile}::test_sub`] }]);
    expect(run.model.of("evaluator")[0]?.messages.at(-1)?.content).toContain("TILTH_SUITE=tell");
  });

  it("may change with what they test, and the evaluator is shown both versions", async () => {
    const session = await opened();
    const change = [write("calc.py", "add minus\n"), write(testFile, calcTests.replace('"sub"', '"minus"'))];
    const run = await session.run({ worker: [solved(...change)], evaluator: [accept] });
    expect(run.of("suite_run")).toMatchObject([{ passed: true, changed: [`${testFile}::test_sub`], failed: [] }]);
    expect(run.model.of("evaluator")[0]?.messages.at(-1)?.content).toContain(
      `new version of the project's own test ${testFile}::test_sub`,
    );
    expect(run.reason).toBe("all_done");
  });

  it.each([
    ["weakened", calcTests.replace('"sub"', '"a"'), /your version of it passes on the code as it was, too/],
    ["deleted", calcTests.split("\n")[0] ?? "", /test_sub is gone/],
  ])("are named in the refusal of a change that breaks one when that is %s", async (_, text, said) => {
    const session = await opened();
    const run = await session.run({
      worker: [solved(write("calc.py", "add\n"), write(testFile, text)), { content: "" }],
    });
    expect(run.answers.at(-1)).toMatch(said);
    expect(run.of("commit")).toEqual([]);
  });

  it("may not be deleted while they pass, unless the task names them", async () => {
    const without = write(testFile, calcTests.split("\n")[0] ?? "");
    const session = await opened();
    const run = await session.run({ worker: [solved(without), { content: "" }] });
    expect(run.answers.at(-1)).toContain(`${testFile}::test_sub is gone`);
    const named = await opened();
    const [task] = named.files.loadPrd();
    if (task) named.files.savePrd([{ ...task, description: "test_sub can go." }]);
    const honest = await named.run({ worker: [solved(without)], evaluator: [accept] });
    expect([honest.reason, honest.of("suite_run")[0]?.gone]).toEqual(["all_done", [`${testFile}::test_sub`]]);
  });

  it("are held from then on when an accepted task adds them", async () => {
    const session = await opened({ tasks: 2 });
    const added = write("tests/test_new.py", 'def test_new(): has("feature_1.py", "value = 1")\n');
    const breaks = calls(solution(2), write("feature_1.py", "value = 2 - 1\n"), submit());
    const mends = calls(write("feature_1.py", "value = 1\n"), submit());
    const run = await session.run({ worker: [solved(added), breaks, mends], evaluator: [accept, accept] });
    expect(run.of("suite_run").map(({ joined }) => joined)).toEqual([["tests/test_new.py::test_new"], [], []]);
    expect(run.of("suite_run").map(({ failed }) => failed)).toEqual([[], ["tests/test_new.py::test_new"], []]);
    expect(run.reason).toBe("all_done");
  });

  it("that one task weakens and the next one breaks are shown to the next evaluator", async () => {
    const session = await opened({ tasks: 2 });
    const weaker = write(testFile, calcTests.replace('"sub"', '"s"'));
    const breaks = calls(solution(2), write("calc.py", "add s\n"), submit());
    const run = await session.run({ worker: [solved(weaker), breaks], evaluator: [accept, accept] });
    expect(run.of("suite_run")).toMatchObject([
      { rewritten: [testFile], outdated: [], changed: [] },
      { failed: [], outdated: [`${testFile}::test_sub`] },
    ]);
    const shown = run.model.of("evaluator").map(({ messages }) => String(messages.at(-1)?.content));
    expect(shown[0]).toContain(
      `test files of the project are changed, though their tests pass as they were: ${testFile}`,
    );
    expect(shown[1]).toContain(`${testFile}::test_sub passes only since an earlier task of this session rewrote it`);
  });

  it("that failed before are not blamed on a change, and are held once they pass", async () => {
    const session = await opened({ tasks: 2, files: { ...project, "calc.py": "add\n" } });
    const run = await session.run({
      worker: [
        solved(write("calc.py", "add sub\n")),
        calls(solution(2), write("calc.py", "add\n"), submit()),
        calls(write("calc.py", "add sub\n"), submit()),
      ],
      evaluator: [accept, accept],
    });
    expect(run.of("base_suite")).toMatchObject([{ passed: 1, failed: 1, failing: [`${testFile}::test_sub`] }]);
    expect(run.of("suite_run").map(({ failed }) => failed)).toEqual([[], [`${testFile}::test_sub`], []]);
    expect(run.reason).toBe("all_done");
  });

  it("are counted in the worker's first prompt, where they are known", async () => {
    const session = await opened({ tasks: 2 });
    const run = await session.run({ worker: [solved(), calls(solution(2), submit())], evaluator: [accept, accept] });
    const prompts = run.model.of("worker").map(({ messages }) => String(messages.at(1)?.content));
    expect(prompts.filter((text) => text.includes("2 pass as you begin")).length).toBeGreaterThan(0);
  });
});

describe("a slow suite", () => {
  const other = "tests/test_other.py";
  const files = { ...project, "other.py": "other\n", [other]: 'def test_other(): has("other.py", "other")\n' };
  it("begins with what the change touches, and a break in the rest voids an accept", async () => {
    const session = await opened({ files });
    await withLongBase(session, async () => {
      const broken = solved(write("calc.py", "add  sub\n"), write("other.py", "none\n"));
      session.hands.checks.own.touched = async () => [testFile];
      const run = await session.run({
        worker: [broken, calls(write("other.py", "other\n"), submit())],
        evaluator: [accept, accept],
      });
      expect(run.answers.some((answer) => answer.includes(`${other}::test_other`))).toBe(true);
      expect(run.of("suite_run").map(({ passed }) => passed)).toEqual([false, true]);
      expect([run.model.of("evaluator").length, run.reason]).toEqual([2, "all_done"]);
    });
  });

  it("has a test that the change rewrites among the first, whatever it imports", async () => {
    const session = await opened({ files });
    await withLongBase(session, async () => {
      session.hands.checks.own.touched = async () => [];
      const change = [write("other.py", "none\n"), write(other, 'def test_other(): has("other.py", "none")\n')];
      const run = await session.run({ worker: [solved(...change)], evaluator: [accept] });
      expect(run.of("suite_run")).toMatchObject([{ passed: true, changed: [`${other}::test_other`] }]);
      expect(run.model.of("evaluator")[0]?.messages.at(-1)?.content).toContain(`own test ${other}::test_other`);
    });
  });

  it("has the evaluator asked again when its rest shows a new version of a test", async () => {
    const reads = 'def test_data(): has("tests/data.txt", "old")\n';
    const session = await opened({ files: { ...project, "tests/data.txt": "old\n", "tests/test_data.py": reads } });
    await withLongBase(session, async () => {
      const { own } = session.hands.checks;
      own.touched = async () => [];
      // The meaning of the data changes: with the new code the old data fails, and so does the new data with the old
      // code.
      const asked: string[] = [];
      own.answer = ({ tree, files: run }, report) => {
        const texts = session.hands.clerk.filesOf(tree);
        const fits = (texts.get("feature_1.py") !== undefined) === (texts.get("tests/data.txt") === "new\n");
        asked.push(String(run));
        const outcome = fits ? ("passed" as const) : ("failed" as const);
        const results = report.results.map((one) => (one.id.includes("test_data") ? { ...one, outcome } : one));
        return { ...report, results };
      };
      const again = calls(submit());
      const run = await session.run({
        worker: [solved(write("tests/data.txt", "new\n")), again],
        evaluator: [accept, accept],
      });
      expect(run.answers.some((answer) => answer.includes("found only after the evaluator had been asked"))).toBe(true);
      expect(run.of("suite_run").map(({ passed, changed }) => [passed, changed])).toEqual([
        [false, ["tests/test_data.py::test_data"]],
        [true, ["tests/test_data.py::test_data"]],
      ]);
      expect([run.reason, asked.length > 2]).toEqual(["all_done", true]);
    });
  });

  it("shows at the next task what there was no time to find, whoever broke it", async () => {
    const session = await opened({ tasks: 2 });
    const { own } = session.hands.checks;
    own.answer = ({ files: run }, report) =>
      run === null ? report : { ...report, results: [], notRun: report.results.map(({ id }) => id) };
    const late = () => {
      own.answer = null;
      return calls(solution(2), submit());
    };
    const run = await session.run({
      worker: [solved(write("calc.py", "add\n")), late, calls(write("calc.py", "add sub\n"), submit())],
      evaluator: [accept, accept],
    });
    expect(run.of("suite_run")).toMatchObject([
      { passed: true, ran: 0, not_run: [testFile] },
      { passed: false, failed: [`${testFile}::test_sub`], excused: [] },
      { passed: true, not_run: [] },
    ]);
    expect(run.reason).toBe("all_done");
  });

  it("is not run to its end when the evaluator rejects", async () => {
    const session = await opened({ files });
    const run = await session.run({ worker: [solved(), calls(submit())], evaluator: [reject(), accept] });
    expect([run.reason, run.of("suite_run").length]).toEqual(["all_done", 1]);
  });
});

describe("a session that stopped between an accept and its commit", () => {
  const away = new TilthError("infra", "the engine is away", "start it");
  const honest = { worker: [solved()], evaluator: [accept] };
  const kinds = async (session: Session) => (await session.logged()).map(({ type }) => type);
  const count = async (session: Session, type: string) => (await kinds(session)).filter((one) => one === type).length;

  it("goes on with what its own tests already said", async () => {
    const session = await opened();
    const { checks } = session.hands;
    const counter = checks.counter.bind(checks);
    checks.counter = async () => {
      throw away;
    };
    expect((await session.run(honest)).reason).toBe("infra");
    expect(await count(session, "suite_run")).toBe(1);
    checks.counter = counter;
    const { end } = await session.runOn(new FakeModelClient({}), { resume: true });
    expect([end.stop.reason, await count(session, "suite_run"), await count(session, "commit")]).toEqual([
      "all_done",
      1,
      1,
    ]);
  });

  it("runs its own tests when they had not answered, and does not commit what they refuse", async () => {
    for (const [content, reason] of [
      ["add  sub\n", "all_done"],
      ["add\n", "no_case"],
    ] as const) {
      const session = await opened();
      await withLongBase(session, async () => {
        const { own } = session.hands.checks;
        own.touched = async () => [];
        own.answer = (run, report) => {
          if (run.files !== null) throw away;
          return report;
        };
        const stopped = await session.run({ ...honest, worker: [solved(write("calc.py", content))] });
        expect([stopped.reason, await count(session, "suite_run")]).toEqual(["infra", 0]);
        own.answer = null;
        const { end } = await session.runOn(new FakeModelClient({ worker: [quiet, quiet, quiet] }), { resume: true });
        expect([end.stop.reason, await count(session, "suite_run")]).toEqual([reason, 1]);
      });
    }
  });
});

type Session = Awaited<ReturnType<typeof opened>>;

/** Acts as if the tests had taken a minute when staging ran them. */
async function withLongBase(session: Session, act: () => Promise<void>): Promise<void> {
  const { own } = session.hands.checks;
  const before = own.run.bind(own);
  own.run = async (run, signal) => {
    const report = await before(run, signal);
    return run.files === null ? { ...report, ms: 60_000 } : report;
  };
  await act();
}
