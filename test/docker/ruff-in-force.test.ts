import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { CheckRequest } from "../../runner/hands/ports/checks/checks.js";
import { pinnedRules } from "../../runner/hands/roles/ruff-rules.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const { world, checks } = await sharedChecks();
const path = "tests/test_t001_it.py";
const staged = [{ path, source: "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n" }];
const naively = ["ruff", "check", "--no-fix", "--no-cache", "."];
const add = "def add(a, b):\n    return a + b\n";

async function judged(base: Files, change: Files, more: Partial<CheckRequest> = {}) {
  const before = { ...base, [path]: staged[0]?.source ?? "" };
  const last = await world.tree(before);
  const tree = await world.tree(change, before);
  const request = requestOf({ tree, last, staged, ...more });
  const judgement = judgementOf(await checks.run(request, never), request);
  const [ruff] = judgement.checks;
  return { tree, last, judgement, ruff, told: JSON.stringify(judgement, null, 1) };
}

test.each([
  ["an option that is gone", "show-source = true\n", "show-source"],
  ["another version that is required", 'required-version = "==0.1.0"\n', "==0.1.0"],
  ["a rule that was removed", '[lint]\nselect = ["E999", "ANN101"]\n', "ANN101"],
])(
  "a configuration with %s is reported once, and tasks are judged by the pinned rules",
  async (_, configuration, part) => {
    const base = { "ruff.toml": configuration };
    const honest = await judged(base, { "calc.py": add });
    expect(await world.naively(honest.tree, naively)).toMatchObject({ exit: 2 });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true });
    const { refused } = await checks.ruffRules(honest.last, never);
    expect(refused).toMatch(/^ruff \S+ of the image refuses the project's configuration \(/);
    expect(refused).toContain(part);
    expect(honest.judgement.integrityNotes).toEqual([refused]);
    expect((await judged(base, { "calc.py": `import os\n\n\n${add}` })).ruff).toMatchObject({ reason: "lint" });
  },
);

test("a configuration that the task itself breaks fails the task", async () => {
  const [base, change] = [
    { "ruff.toml": "line-length = 90\n" },
    { "ruff.toml": "show-source = true\n", "calc.py": add },
  ];
  expect((await judged(base, change, { taskText: "Changes ruff.toml" })).ruff).toMatchObject({ reason: "lint_failed" });
});

test("rules that a configuration does not select are pinned, and what else it says holds", async () => {
  const sorted = { "calc.py": `import sys\nimport os\n\nHERE = [os, sys]\n\n\n${add}` };
  for (const base of [
    { "ruff.toml": "line-length = 90\n" },
    { "pyproject.toml": "[tool.ruff]\nline-length = 90\n" },
    { ".ruff.toml": 'extend = "style/base.toml"\n', "style/base.toml": "line-length = 90\n" },
  ]) {
    const honest = await judged(base, sorted);
    expect(await world.naively(honest.tree, naively)).toMatchObject({ exit: 1 });
    expect(honest.judgement, honest.told).toMatchObject({ passed: true });
  }
  for (const base of [
    { "ruff.toml": '[lint]\nextend-select = ["I"]\n' },
    { "pyproject.toml": '[tool.ruff.lint]\nselect = ["I"]\n' },
    { ".ruff.toml": 'extend = "style/base.toml"\n', "style/base.toml": '[lint]\nselect = ["I"]\n' },
  ])
    expect((await judged(base, sorted)).ruff?.output).toContain("I001");
  const unused = { "calc.py": `import os\n\n\n${add}` };
  expect((await judged({ "ruff.toml": '[lint]\nignore = ["F401"]\n' }, unused)).ruff).toMatchObject({ passed: true });
  expect((await judged({ "ruff.toml": "line-length = 90\n" }, unused)).ruff).toMatchObject({ reason: "lint" });
});

const old = `from os.path import *
import sys


def place(name):
    if name == None:
        return ""
    return join(name, "a rather long line that is too long for what the project says it likes to have in lines")
`;
const configured = { "ruff.toml": '[lint]\nselect = ["E", "F"]\n', "calc.py": old, "other.py": "import os\n" };

test("a change of lines that had findings makes no new findings", async () => {
  const change = old
    .replace("join(name, ", 'join(name, "b", ')
    .replace("    if name == None:", "    if name != None and exists(name):")
    .concat("\n\n", add, "\n\ndef other(name):\n    return basename(name) == None\n");
  const honest = await judged(configured, { "calc.py": change });
  const naive = await world.naively(honest.tree, ["ruff", "check", "--no-cache", "--output-format=concise", "."]);
  for (const rule of ["E501", "E711", "F405", "F401"]) expect(naive.output).toContain(rule);
  expect(honest.judgement, honest.told).toMatchObject({ passed: true, integrityNotes: [] });
});

test("a finding unlike any that the file had is new, and the tests run on the tree as it was submitted", async () => {
  const change = `${old.replace("import sys", "import sys\nimport json")}\n\n${add}\n\ndef more(items):\n    return not items in []\n`;
  const { judgement, ruff, told } = await judged(configured, { "calc.py": change, "new.py": "import os\n" });
  const lines = ruff?.output.split("\n").slice(1) ?? [];
  expect(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    told,
  ).toEqual([...["calc.py:3: F401", "calc.py:17: E713", "new.py:1: F401"]]);
  expect(judgement.checks[1]).toMatchObject({ name: "pytest", passed: true });
});

test("a base without configuration gets the pinned rules, without ruff being asked", async () => {
  expect(await checks.ruffRules(await world.tree({ "calc.py": "import os\n" }), never)).toBe(pinnedRules);
});
