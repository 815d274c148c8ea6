import { beforeAll, describe, expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { attacks, honest } from "../helpers/ground-cases.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const path = "tests/test_t001_it.py";
const { world, checks } = await sharedChecks();

interface GroundTrial {
  readonly source: string;
  readonly files: Files;
  /** the files as they were when the session began */
  readonly before?: Files;
  readonly taskText?: string;
}

/**
 * Judges as a submit is judged, but without the scanner, because this is for cheats that no reading of a source can
 * see.
 */
async function judged({ source, files, before, taskText = "" }: GroundTrial) {
  const staged = [{ path, source }];
  const last = await world.tree({ [path]: source, ...files, ...before });
  const tree = await world.tree({ [path]: source, ...files });
  const opened = Object.keys(files).filter((name) => name.startsWith("tests/data/"));
  const request = requestOf({ tree, last, staged, opened, taskText });
  const report = await checks.run({ ...request, last: tree, since: { base: last, taskTexts: [] } }, never);
  const judgement = judgementOf({ ...report, judgeFiles: [], findings: [] }, request);
  return { ...judgement, ground: report.pytest?.ground, told: JSON.stringify([judgement, report.pytest], null, 1) };
}

const changed = { "calc.py": null };
const twins = new Map<string, ReturnType<typeof judged>>();

/** Judges each twin once, because attacks of one kind have the same. */
function judgedOnce(given: GroundTrial) {
  const key = JSON.stringify(given);
  const known = twins.get(key) ?? judged(given);
  twins.set(key, known);
  return known;
}

let believed: readonly number[];
beforeAll(async () => {
  believed = await world.naivelyEach(attacks.map(({ source, files }) => ({ [path]: source, ...files })));
});

describe.each(attacks.map((attack, at) => ({ ...attack, at })))("$name", ({ source, files, fixed, what, at }) => {
  test("passes by pytest's exit status, and the check names what it changed", async () => {
    expect(believed[at]).toBe(0);
    const { checks: results, ground, told } = await judged({ source, files, before: changed });
    expect(results.map(({ reason }) => reason).filter(Boolean), told).toEqual(["ground_changed"]);
    expect(ground?.map((change) => change.what)).toContain(what);
  });

  test("has an honest twin that passes", async () => {
    const { passed, told } = await judgedOnce({ source, files: { ...files, ...fixed }, before: changed });
    expect(passed, told).toBe(true);
  });
});

test.each(honest)("the check makes no remark on $name", async ({ source, files }) => {
  const { passed, ground, told } = await judged({ source, files, before: changed });
  expect(passed, told).toBe(true);
  expect(ground).toEqual([]);
});

const patching = {
  source: "import json\n\nimport calc\n\n\ndef test_it():\n    assert json.dumps(calc.Odd()) == '1'\n",
  files: {
    "calc.py": "import json\n\n\nclass Odd:\n    pass\n\n\njson.JSONEncoder.default = lambda *_: 1\n",
  },
};

test("a replaced library attribute that the project had at the session's start is noted and not refused", async () => {
  const { passed, integrityNotes, told } = await judged(patching);
  expect(passed, told).toBe(true);
  expect(integrityNotes.join()).toContain("json.encoder.JSONEncoder.default was replaced, by what stands in calc.py");
  expect((await judged({ ...patching, before: changed })).passed).toBe(false);
});

test("a task may replace an attribute of the library when its own text asks for it", async () => {
  const asked = "Override json.encoder.JSONEncoder.default so that everything can be written.";
  expect((await judged({ ...patching, before: changed, taskText: asked })).passed).toBe(true);
  const used = "Write with what json.encoder.JSONEncoder.default cannot.";
  expect((await judged({ ...patching, before: changed, taskText: used })).passed).toBe(false);
});

test("a data file that tests rewrite while they run is noted", async () => {
  const source =
    "from pathlib import Path\n\ndata = Path(__file__).parent / 'data/a.txt'\n\n\ndef test_it():\n    data.write_text('b')\n    assert data.read_text() == 'b'\n";
  const { passed, integrityNotes, told } = await judged({ source, files: { "tests/data/a.txt": "a" } });
  expect(passed, told).toBe(true);
  expect(integrityNotes).toEqual(["tests/data/a.txt was changed while the tests ran"]);
});
