import { expect, test } from "vitest";
import { badEntries, badTests, entry } from "../helpers/bad-seeds.js";
import { InterviewTrial } from "../helpers/interview-trial.js";
import { handIn, seed } from "../helpers/interview-turns.js";
import { calls } from "../helpers/loop-turns.js";

const source = "def test_it():\n    assert False\n";
const filesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, source]));
const rows = [
  ...badEntries.map(([what, prd, named]) => [what, prd, filesOf(["test_t001_x.py"]), named] as const),
  ...badTests.map(([what, names, named]) => [what, [entry()], filesOf(names), named] as const),
];

test.each(rows)(
  "write_seed with %s is sent back by name, and the next one is accepted",
  async (_, prd, files, named) => {
    const trial = new InterviewTrial([calls(seed({ prd_entries: prd, test_files: files })), handIn]);
    expect(await trial.hold()).toEqual({ kind: "prepared" });
    const refusal = trial.answers[0] ?? "";
    expect(refusal).toContain(Array.isArray(prd) ? named : "prd_entries: ");
    expect(trial.sink.taken).toHaveLength(1);
  },
);
