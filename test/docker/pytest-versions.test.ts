import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue, type Row } from "../cheats/catalogue.js";
import { DirectWorld } from "../cheats/direct.js";
import { isAsSaid, isStoppedBy } from "../cheats/verdict.js";
import { CheckWorld, never, requestOf } from "../helpers/check-world.js";
import { Environment } from "../helpers/environment.js";
import { someOf, stepOf } from "../helpers/every.js";
import { suites } from "../helpers/honest-suites.js";
import { basedOn } from "../helpers/own-suite.js";
import { checksIn } from "../helpers/shared-checks.js";

/** The oldest and the newest version that a project may pin, and versions between them with other private names. */
const allVersions = ["7.4.4", "8.0.2", "8.3.5", "8.4.2", "9.0.3", "of the image"];
/** A gate tries the oldest version and the image's own. */
const versions = someOf(allVersions, 5);
const chosen = [
  ...["config/conftest-deselect", "config/conftest-outcome", "config/pyproject-addopts"],
  ...["in-process/calls-patched", "in-process/equal-to-everything", "in-process/equal-once", "in-process/found-by-gc"],
  ...["in-process/items-forgotten", "in-process/patched-approx", "in-process/patched-raises"],
  ...["in-process/patched-test-case", "in-process/raises-skip-test", "in-process/reports-patched"],
  ...["in-process/tests-emptied", "tests/helper-planted", "tests/helper-rewritten-at-run-time"],
];
const rows = (await catalogue()).filter(({ file }) => chosen.some((name) => file.endsWith(`/${name}.ts`)));

/** Each cheat is tried on one version, in turn; EVERY=1 tries each on all of them. */
const step = stepOf(allVersions.length);
const triedOn = (version: number) =>
  rows.filter((_, at) => (at - version) % step === 0).map((row): [string, Row] => [row.name, row]);

const path = "tests/test_t001_it.py";
const kinds = `import pytest

from calc import add


@pytest.fixture
def five():
    return 5


def test_passing(five, tmp_path):
    assert add(2, 3) == five
    assert add(0.1, 0.2) == pytest.approx(0.3)
    with pytest.raises(TypeError, match="unsupported"):
        add(1, None)


def test_failing():
    assert add(2, 2) == 5


@pytest.mark.skip
def test_skipped():
    assert False


@pytest.mark.xfail
def test_expected_to_fail():
    assert add(2, 2) == 5


@pytest.mark.parametrize("value", [1, 2, "x"])
def test_each(value):
    assert add(value, value) == value * 2


@pytest.fixture
def broken():
    raise ValueError


def test_of_a_broken_fixture(broken):
    assert True


def test_kept():
    """keep-green: it has been there before"""
    assert add(1, 1) == 2
`;
const near =
  "import pytest\n\nfrom calc import mean\n\n\ndef test_mean():\n    assert mean([1, 2]) == pytest.approx(1.5)\n";
const alike =
  "import pytest\n\nkind = type(pytest.approx(1.0))\nkind.__eq__ = lambda self, other: True\n\n\ndef mean(values):\n    return 0\n";
const calc = "def add(a, b):\n    return a + b\n";

test("there are at least ten cheats to try", () => {
  expect(rows).toHaveLength(chosen.length);
  expect(rows.length).toBeGreaterThanOrEqual(10);
});

describe.each(versions.map((version, at) => ({ version, named: triedOn(at) })))(
  "pytest $version",
  ({ version, named }) => {
    let environment: Environment;
    let cheats: DirectWorld;
    let world: CheckWorld;

    beforeAll(async () => {
      environment = await Environment.of(version === "of the image" ? {} : { requirements: [`pytest==${version}`] });
      cheats = await DirectWorld.open(environment.folder);
      world = await CheckWorld.open(environment.folder);
    });
    afterAll(async () => {
      await cheats?.[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
      environment?.[Symbol.dispose]();
    });

    async function run(source: string, files: Record<string, string>) {
      const staged = [{ path, source }];
      const tree = await world.tree({ ...files, [path]: source });
      await using checks = checksIn(world);
      const { pytest } = await checks.run(requestOf({ tree, last: tree, staged }), never);
      return pytest;
    }

    async function runRed(source: string, files: Record<string, string>) {
      const staged = [{ path, source }];
      const tree = await world.tree({ ...files, [path]: source });
      await using checks = checksIn(world);
      const { facts, runs } = await checks.red({ tree, run: staged, read: [], timeoutMs: 60_000 }, never);
      return { facts, red: runs[0]?.pytest };
    }

    test("has its canary even where settings and a conftest ask for what only test files have", async () => {
      const homes = suites.filter(({ name }) => /^fixtures that settings|^a mark that|gives the classes/.test(name));
      expect(homes).toHaveLength(3);
      for (const { name, test: source, files } of homes) {
        const pytest = await run(source, { ...files });
        expect(pytest, `${name}: ${pytest?.output}`).toMatchObject({ canaryFailed: true, finished: true, exit: 1 });
      }
    });

    test("is the version that judges, reports every kind of result and gives all the proofs", async () => {
      const { output } = await world.naively(await world.tree({}), ["python", "-m", "pytest", "--version"]);
      if (version !== "of the image") expect(output).toContain(version);
      const pytest = await run(kinds, { "calc.py": calc });
      const { facts, red } = await runRed(kinds, { "calc.py": calc });
      const outcomes = {
        test_passing: "passed",
        test_failing: "failed",
        test_skipped: "skipped",
        test_expected_to_fail: "xfailed",
        "test_each[1]": "passed",
        "test_each[2]": "passed",
        "test_each[x]": "passed",
        test_of_a_broken_fixture: "error",
        test_kept: "passed",
      };
      for (const report of [pytest, red]) {
        const seen = report?.results.map(({ id, outcome }) => [id.replace(`${path}::`, ""), outcome]) ?? [];
        expect(Object.fromEntries(seen)).toEqual(outcomes);
        expect(report).toMatchObject({ nonceSeen: true, canaryFailed: true, finished: true, exit: 1, ground: [] });
      }
      expect(facts[0]?.tests.filter(({ keepGreen }) => keepGreen !== null).map(({ id }) => id)).toEqual([
        `${path}::test_kept`,
      ]);
      expect(pytest?.reached[`${path}::test_passing`]).toHaveLength(3);
    });

    test("collects and reports the project's own tests as well", async () => {
      await using checks = checksIn(world);
      const own = { "calc.py": calc, "tests/test_own.py": kinds, [path]: "def test_it():\n    assert False\n" };
      const { event } = await basedOn(checks, await world.tree(own));
      const names = (all: readonly string[]) => all.map((name) => name.replace("tests/test_own.py::", ""));
      expect(event).toMatchObject({ runs: 2, passed: 5, failed: 2, skipped: 2, problem: null });
      expect(event.held).toEqual({ "tests/test_own.py": ["test_passing", "test_each", "test_kept"] });
      expect(names(event.failing)).toEqual(["test_failing", "test_of_a_broken_fixture"]);
    });

    test("has its approximate comparison guarded too, wherever it is defined", async () => {
      const pytest = await run(near, { "calc.py": alike });
      expect(pytest?.ground.map(({ what }) => what).join()).toMatch(/Approx\w*\.__eq__/);
      const honest = await run(near, { "calc.py": "def mean(values):\n    return sum(values) / len(values)\n" });
      expect(honest?.ground).toEqual([]);
    });

    test.each(named)("has gates that do what the file of a cheat says: %s", async (_, row) => {
      const judged = await cheats.cheat(row);
      expect(judged !== null && isAsSaid(row, judged), judged?.said).toBe(true);
      if (row.behind === undefined) return;
      const unscanned = await cheats.unscanned(row);
      expect(isStoppedBy(row.behind, unscanned), unscanned.said).toBe(true);
    });

    test.each(named)("accepts a cheat's honest twin: %s", async (_, row) => {
      const judged = await cheats.twin(row);
      expect(judged, judged?.said).toMatchObject({ passed: true });
    });
  },
);
