import { expect, test } from "vitest";
import { proveSeed } from "../../../runner/app/seeding/prove-seed.js";
import { treeId } from "../../../runner/base/ids.js";
import { pinnedRules } from "../../../runner/hands/roles/ruff-rules.js";
import { FakeChecks, passWhatTheTreeHas } from "../../helpers/fake-checks.js";
import { RecordedEvents } from "../../helpers/recorded-events.js";

const tree = treeId("a".repeat(40));
const source = "from feature import value\n\n\ndef test_value():\n    assert value == 1\n";
const seed = {
  prd: [],
  tests: [{ taskId: "T-001", name: "test_t001_x.py", path: "tests/test_t001_x.py", source }],
  notes: { tldr: "", open_questions: [], blockers: [], scope_notes: "" },
};

test.each([
  ["a configuration that ruff refuses is reported, and the seed is taken", "ruff refuses it", ["ruff refuses it"]],
  ["a configuration that ruff accepts is not mentioned", null, []],
])("at staging, %s", async (_, refused, expected) => {
  const checks = new FakeChecks(passWhatTheTreeHas, async () => null);
  checks.ruffRules = async () => ({ ...pinnedRules, refused });
  const said: string[] = [];
  const proof = { placement: { treeWith: async () => tree }, hands: { checks }, log: new RecordedEvents() };
  const { signal } = new AbortController();
  const proven = await proveSeed(seed, {
    ...proof,
    checkTimeoutMs: 1,
    suite: null,
    say: (line) => said.push(line),
    signal,
  });
  expect(proven).toEqual({ ok: true, tree });
  expect(said.filter((line) => line.includes("ruff"))).toEqual(expected);
});
