import { writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Difference } from "../../../runner/app/verify/log/findings.js";
import { TilthError } from "../../../runner/base/errors.js";
import { verificationJsonSchema } from "../../../runner/index.js";
import { SessionLock } from "../../../runner/session/lock/lock.js";
import { someOf } from "../../helpers/every.js";
import { type CheckFunction, passWhatTheTreeHas } from "../../helpers/fake-checks.js";
import { VerifyStage } from "../../helpers/verify-stage.js";

let stage: VerifyStage;
beforeAll(async () => {
  stage = await VerifyStage.open();
});
afterEach(() => stage.restore());
afterAll(() => stage?.[Symbol.dispose]());

const other = "1234567890".repeat(4);
const shown = ({ what, where, expected, seen }: Difference) => `${what} | ${where} | ${expected} | ${seen}`;

test("an honest session agrees: every check runs again, and nothing in the session changes", async () => {
  const before = stage.content();
  const verification = await stage.verify();
  expect(verification).toMatchObject({ id: stage.files.id, agrees: true, differs: [] });
  verificationJsonSchema.parse(verification);
  expect(verification.compared.join("\n")).toMatch(/checks of T-001, T-002, run again on sha256:/);
  expect(stage.said.splice(0)).toEqual(["checking T-001 again (1 of 2)", "checking T-002 again (2 of 2)"]);
  expect(stage.content()).toEqual(before);
});

interface Tampering {
  readonly what: string;
  readonly tamper: (stage: VerifyStage) => void;
  /** patterns for all differences, one each, in their order */
  readonly named: (stage: VerifyStage) => readonly RegExp[];
}

/** A commit beside the one at the tip, with the same parent. */
function amend(stage: VerifyStage, parent: string): string {
  const tree = stage.repo.git("rev-parse", `${stage.ref}^{tree}`).trim();
  const made = stage.repo.git("commit-tree", tree, "-p", parent, "-m", "T-002: Title of 2").trim();
  stage.repo.git("update-ref", stage.ref, made);
  return made;
}

/** As honest as the other check on these trees, but without looking at them. */
const quick: CheckFunction = (request) => passWhatTheTreeHas(request, async () => "");

const tamperings: readonly Tampering[] = [
  {
    what: "a byte of a staged test",
    tamper: (stage) => stage.alter("seed/test_t001_feature.py", "value == 1", "value == 7"),
    named: () => [/^staged test \| seed\/test_t001_feature\.py line 5, byte \d+ \| .*value == 1.* \| .*value == 7/],
  },
  {
    what: "a staged test that is gone",
    tamper: (stage) => stage.remove("seed/test_t002_feature.py"),
    named: () => [/^staged test \| seed\/test_t002_feature\.py \| blob [0-9a-f]{40} \| is missing$/],
  },
  {
    what: "a status in prd.json",
    tamper: (stage) => stage.alter("prd.json", '"status": "done"', '"status": "pending"', 1),
    named: () => [/^status of T-002 \| prd\.json, T-002\.status \| "done" \| "pending"$/],
  },
  {
    what: "a criterion in prd.json",
    tamper: (stage) => stage.alter("prd.json", "Criterion of 1", "Criterion of 9"),
    named: () => [/^text of T-001 \| prd\.json, T-001 \| the task as events\.jsonl line \d+ /],
  },
  {
    what: "a note in seed-meta.json",
    tamper: (stage) => stage.alter("seed-meta.json", '"tldr": "', '"tldr": "x'),
    named: () => [/^seed-meta \| seed-meta\.json, \[0\]\.record \| "[0-9a-f]{64}" \| "[0-9a-f]{64}"$/],
  },
  {
    what: "the tree of a check in the log",
    tamper: (stage) => {
      const line = stage.logLine("check_run", -1);
      stage.alter("events.jsonl", line, line.replace(/"tree":"[0-9a-f]+"/, `"tree":"${other}"`));
    },
    named: (stage) => [
      new RegExp(
        `^tree of T-002 \\| events\\.jsonl line ${stage.lineOf("check_run", -1)} \\(check_run\\), payload\\.tree \\| "[0-9a-f]{40}" \\| "${other}"$`,
      ),
    ],
  },
  {
    what: "the image of a check in the log",
    tamper: (stage) => {
      const line = stage.logLine("check_run", -1);
      stage.alter("events.jsonl", line, line.replace(/"image":"[^"]*"/, '"image":"sha256:other"'));
    },
    named: (stage) => [
      new RegExp(
        `^image of the check of T-002 \\| events\\.jsonl line ${stage.lineOf("check_run", -1)} \\(check_run\\), payload\\.image \\| ".+" \\| "sha256:other"$`,
      ),
    ],
  },
  {
    what: "an outcome in a check of the log",
    tamper: (stage) => {
      const line = stage.logLine("check_run", -1);
      stage.alter("events.jsonl", line, line.replaceAll("t002_feature.py::test_value", "t002_feature.py::test_other"));
    },
    named: (stage) => [
      new RegExp(
        `^check of T-002, run again \\| events\\.jsonl line ${stage.lineOf("check_run", -1)} .*test_other"\\]`,
      ),
      /^check of T-002, run again .*, seen\[.*test_value"\] \| nothing \| "passed"$/,
      /^check of T-002, run again .*, expected\[1\] \| .*test_other" \| .*test_value"$/,
    ],
  },
  {
    what: "a line of the log that is no event any more",
    tamper: (stage) => stage.alter("events.jsonl", '"type":"commit"', '"type":"comit"'),
    named: () => [/^event log \| events\.jsonl line \d+ \| an event \| /],
  },
  {
    what: "a line of the log that is gone",
    tamper: (stage) => stage.alter("events.jsonl", `${stage.logLine("hook_run", 0)}\n`, ""),
    named: () => [
      /^event log \| events\.jsonl line \d+, seq/,
      /^summary \| summary\.json, events /,
      /^summary \| summary\.json, hooks/,
    ],
  },
  {
    what: "a verdict in a ledger",
    tamper: (stage) => stage.alter("ledger/T-001.jsonl", '"verdict":"reject"', '"verdict":"accept"'),
    named: () => [/^ledger of T-001 \| ledger\/T-001\.jsonl line 1, verdict\.verdict \| "reject" \| "accept"$/],
  },
  {
    what: "a ledger line that is gone",
    tamper: (stage) => stage.write("ledger/T-001.jsonl", stage.text("ledger/T-001.jsonl").replace(/^.*\n/, "")),
    named: () => [/^ledger of T-001 \| ledger\/T-001\.jsonl line 1 \| \{"ts":.* \| nothing$/],
  },
  {
    what: "an amended commit",
    tamper: (stage) => void amend(stage, `${stage.ref}^`),
    named: (stage) => [
      new RegExp(
        `^commit of T-002 \\| ${stage.ref}, commit 3 above the base \\| [0-9a-f]{40} of events\\.jsonl line ${stage.lineOf("commit", -1)} \\(commit\\) \\| ${stage.tip()}$`,
      ),
    ],
  },
  {
    what: "a commit too many",
    tamper: (stage) => void amend(stage, stage.ref),
    named: (stage) => [
      new RegExp(
        `^a commit that the log has not \\| ${stage.ref}, commit 4 above the base \\| nothing \\| ${stage.tip()}$`,
      ),
    ],
  },
  {
    what: "a branch that is gone",
    tamper: (stage) => stage.repo.git("update-ref", "-d", stage.ref),
    named: (stage) => [new RegExp(`^branch \\| ${stage.ref} of '.*' \\| [0-9a-f]{40} \\| it is gone$`)],
  },
  {
    what: "a sum of the summary",
    tamper: (stage) => stage.alter("summary.json", '"iterations": ', '"iterations": 1'),
    named: () => [/^summary \| summary\.json, iterations \| \d+ \| 1\d+$/],
  },
  {
    what: "a line of progress.txt that is gone",
    tamper: (stage) => stage.write("progress.txt", stage.text("progress.txt").split("\n").slice(1).join("\n")),
    named: () => [/^progress \| progress\.txt line 1 \| "T-001\\tdone\\tTitle of 1" \| nothing$/],
  },
  {
    what: "the branch's commit in the checkpoint",
    tamper: (stage) => stage.alter("checkpoint.json", stage.tip(), other),
    named: () => [new RegExp(`^checkpoint \\| checkpoint\\.json, last_commit \\| "[0-9a-f]{40}" \\| "${other}"$`)],
  },
  {
    what: "a file that is no JSON",
    tamper: (stage) => stage.write("seed-meta.json", "{"),
    named: () => [/^seed-meta\.json \| seed-meta\.json \| a file of its schema \| .*is not JSON$/],
  },
  {
    what: "a commit's id in the log",
    tamper: (stage) =>
      stage.alter(
        "events.jsonl",
        stage.logLine("commit", 0),
        stage.logLine("commit", 0).replace(/"sha":"[0-9a-f]+"/, `"sha":"${other}"`),
      ),
    named: (stage) => [
      new RegExp(`^commit of T-001 \\| ${stage.ref}, commit 2 above the base \\| ${other} of `),
      /^commit of T-001 \| events\.jsonl line \d+ \(commit_prepared\), payload\.sha/,
      /^commit of T-001 \| events\.jsonl line \d+ \(task_done\), payload\.sha/,
      /^summary .*receipts\[0\]\.sha/,
      new RegExp(`^commit of T-001 \\| ${other} \\| a whole commit in the source \\| nothing$`),
    ],
  },
];

test.each(someOf(tamperings, 6).map((one) => [one.what, one] as const))(
  "verify names %s, and nothing else",
  async (_, { tamper, named }) => {
    tamper(stage);
    const { agrees, differs } = await stage.verify({ check: quick });
    const wanted = named(stage);
    expect(agrees).toBe(false);
    for (const pattern of wanted) expect(differs.map(shown)).toContainEqual(expect.stringMatching(pattern));
    expect(differs.map(shown)).toHaveLength(wanted.length);
  },
);

describe("a session of a version that did not count cached tokens", () => {
  const beOlder = (stage: VerifyStage) => {
    const lines = stage.text("events.jsonl").replace(/"(cached|cache_write|reasoning)_tokens":0,/g, "");
    stage.write("events.jsonl", lines);
    const names = [
      "cached_tokens",
      "cache_write_tokens",
      "reasoning_tokens",
      "priced_calls",
      "by_role",
      "worker_model",
    ];
    const told = (key: string, value: unknown) => (names.includes(key) ? undefined : value);
    stage.write("summary.json", JSON.stringify(JSON.parse(stage.text("summary.json")), told));
  };

  test("agrees, and verify says what could not be compared", async () => {
    beOlder(stage);
    for (const name of ["events.jsonl", "summary.json"])
      expect(stage.text(name)).not.toMatch(/"(cached_tokens|by_role)"/);
    const { agrees, remarks } = await stage.verify({ check: quick });
    expect([agrees, remarks.join()]).toEqual([true, expect.stringContaining("do not tell what each role used")]);
    expect(remarks.join()).toContain("do not tell the worker's model");
  });

  test("differs when its receipt names another worker model", async () => {
    const summary = JSON.parse(stage.text("summary.json"));
    summary.receipts[0].worker_model = "another";
    stage.write("summary.json", JSON.stringify(summary));
    expect((await stage.verify({ check: quick })).differs.map(({ where }) => where)).toEqual([
      "summary.json, receipts[0].worker_model",
    ]);
  });

  test("differs when the roles are taken out of a receipt, and when its sums are altered", async () => {
    const summary = JSON.parse(stage.text("summary.json"));
    delete summary.receipts[0].by_role;
    stage.write("summary.json", JSON.stringify(summary));
    expect((await stage.verify({ check: quick })).differs.map(({ where }) => where)).toEqual([
      "summary.json, receipts[0].by_role",
    ]);
    stage.restore();
    beOlder(stage);
    stage.alter("summary.json", '"total_tokens":', '"total_tokens":1');
    expect((await stage.verify({ check: quick })).differs.map(({ where }) => where)).toEqual([
      "summary.json, usage.total_tokens",
    ]);
  });
});

test("cached tokens that were forged into a call differ from every sum", async () => {
  stage.alter("events.jsonl", '"cached_tokens":0', '"cached_tokens":50');
  const { differs } = await stage.verify({ check: quick });
  const where = differs.map((one) => one.where);
  expect(where).toContain("summary.json, usage.cached_tokens");
  expect(where).toContain("summary.json, receipts[0].by_role.worker.cached_tokens");
  expect(where).toContain("summary.json, caps.tokens.used");
  expect(where).toContain("checkpoint.json, tokens");
});

test("a check that fails when it runs again is named with its outcome", async () => {
  const { differs } = await stage.verify({
    check: async (request, read) => {
      const report = await passWhatTheTreeHas(request, read);
      const results = report.pytest?.results.map((result) => ({ ...result, outcome: "failed" as const })) ?? [];
      return request.staged.length === 2 && report.pytest
        ? { ...report, pytest: { ...report.pytest, results } }
        : report;
    },
  });
  expect(differs.map(({ what }) => what)).toEqual(new Array(4).fill("check of T-002, run again"));
  expect(differs.map(shown)).toContainEqual(
    expect.stringMatching(/checks\.pytest \| "passed" \| "failed \(test_failed\)"$/),
  );
});

describe("a commit whose bytes were altered in git's object store", () => {
  const damages: readonly (readonly [string, (content: Buffer) => Buffer])[] = [
    [
      "git can still read it",
      (content) =>
        deflateSync(Buffer.from(inflateSync(content).toString("latin1").replace("Title", "title"), "latin1")),
    ],
    [
      "git cannot read it any more",
      (content) => Buffer.concat([content.subarray(0, 12), Buffer.alloc(8), content.subarray(20)]),
    ],
  ];

  test.each(damages)("is named when %s", async (_, damage) => {
    const sha = stage.tip();
    const put = stage.alterObject(sha, damage);
    const { differs } = await stage.verify().finally(put);
    expect(differs.map(shown).filter((line) => line.includes(sha))).not.toEqual([]);
    for (const { what } of differs) expect(what).toMatch(/commit/);
    expect((await stage.verify()).agrees).toBe(true);
  });
});

describe("verify", () => {
  test("counts a missing source as one difference, and still compares the files", async () => {
    stage.alter("progress.txt", "Title of 2", "Title of 3");
    stage.moveSource(true);
    const { differs, remarks } = await stage.verify().finally(() => stage.moveSource(false));
    expect(differs.map(shown)).toEqual([
      expect.stringMatching(/^progress \| progress\.txt line 2 /),
      expect.stringMatching(/^source \| .* \| the repository \| there is no folder/),
    ]);
    expect(remarks.join()).toContain("no check was run again");
  });

  test("names differences without an engine too, and does not report agreement when it finds none", async () => {
    const none = new TilthError("usage", "no container engine answers", "start one");
    const openHands = () => Promise.reject(none);
    await expect(stage.verify({ openHands })).rejects.toBe(none);
    stage.alter("progress.txt", "Title of 2", "Title of 3");
    const { differs, remarks } = await stage.verify({ openHands });
    expect(differs).toHaveLength(1);
    expect(remarks.join()).toContain("not every check was run again: no container engine answers");
  });

  test("refuses a session in use, and leaves the lock of a dead process unchanged", async () => {
    const { lock } = stage.files.paths;
    const held = SessionLock.acquire(lock);
    await expect(stage.verify()).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining(`process ${process.pid}`),
    });
    const stale = stage.text("lock").replace(/"pid":\d+/, '"pid":4194303');
    held[Symbol.dispose]();
    writeFileSync(lock, stale);
    const before = stage.content();
    expect((await stage.verify()).agrees).toBe(true);
    expect(stage.content()).toEqual(before);
  });

  test("leaves nothing open when it is interrupted", async () => {
    const pressed = new AbortController();
    const check = () => {
      pressed.abort();
      throw new DOMException("interrupted", "AbortError");
    };
    await expect(stage.verify({ check, signal: pressed.signal })).rejects.toThrow("interrupted");
    expect(stage.open).toBe(0);
  });
});
