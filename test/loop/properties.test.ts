import fc from "fast-check";
import { expect, it } from "vitest";
import { isCutOff } from "../../runner/dialogue/reply.js";
import type { FakeReply } from "../helpers/fake-model-client.js";
import { LoopSession } from "../helpers/loop-session.js";
import { accept, type Call, caseOf, quiet, reject, solve, write } from "../helpers/loop-turns.js";

const command: fc.Arbitrary<Call> = fc.uuid().map((id) => ["bash", { command: `echo ${id}` }]);
const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 4, arbitrary: command },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Call[]>(["submit_case", caseOf()], ["submit_case", {}], ["submit_case", "[]"]),
  },
  { weight: 3, arbitrary: fc.constantFrom(write("feature_1.py", "value = 1\n"), write("feature_2.py", "value = 2\n")) },
  { weight: 1, arbitrary: fc.constantFrom<Call[]>(["no_such_tool", {}], ["read_file", "7"], ["submit_verdict", {}]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Call[]>(["bash", '{"command": "echo'], ["submit_case", '{"summary": '], ["glob", ""]),
  },
);

/** A complete way to a case that may pass, with any calls before and after it. */
const presenting = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.array(call, { maxLength: 1 }), fc.array(call, { maxLength: 2 }))
  .map(([n, before, after]) => ({ calls: [...before, ...(solve(n).calls ?? []), ...after] }));

const workerReply: fc.Arbitrary<FakeReply> = fc.oneof(
  { weight: 5, arbitrary: presenting },
  { weight: 4, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 5 }) }) },
  { weight: 1, arbitrary: presenting.map((reply) => ({ ...reply, finish: "length" })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<FakeReply[]>(quiet, {}, { reasoning: "hm" }, { content: "x", finish: "length" }),
  },
);

const yes = accept.calls?.[0] ?? ["", {}];
const evaluatorReply = fc.oneof(
  fc.constant<FakeReply>(accept),
  fc.constantFrom<FakeReply[]>(
    reject(),
    { content: "I accept this." },
    { calls: [yes, yes] },
    { calls: [["submit_case", caseOf()]] },
    { ...accept, finish: "length" },
    { calls: [["submit_verdict", '{"verdict": "accept"']] },
    { calls: [["submit_verdict", { verdict: "accept" }]] },
    {},
  ),
);

/** The worker's commands that may run: those of whole replies, in front of the case. */
function mayRun(replies: readonly FakeReply[]): readonly string[] {
  return replies
    .filter((reply) => !cutOff(reply))
    .flatMap(({ calls = [] }) => {
      const submits = calls.findIndex(([tool]) => tool === "submit_case");
      const before = submits < 0 ? calls : calls.slice(0, submits);
      return before.flatMap(([tool, args]) => (tool === "bash" ? [(args as { command: string }).command] : []));
    });
}

function cutOff({ calls = [], finish = "stop" }: FakeReply): boolean {
  const made = calls.map(([name, args]) => ({
    id: "",
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
  }));
  return isCutOff({ message: { role: "assistant", content: null, calls: made, own: null }, finishReason: finish });
}

it("whatever the models say, only accepted trees are committed, and nothing runs that must not run", async () => {
  const seen = new Set<string>();
  const replies = {
    worker: fc.array(workerReply, { maxLength: 14 }),
    evaluator: fc.array(evaluatorReply, { maxLength: 8 }),
  };
  await fc.assert(
    fc.asyncProperty(fc.record(replies), async ({ worker, evaluator }) => {
      const session = await LoopSession.open({ tasks: 2, caps: { maxIterationsPerTask: 9 } });
      const said = [...worker, quiet, quiet, quiet];
      // the oracle at the end of `run` looks at every request and at the log
      const run = await session.run({ worker: said, evaluator: [...evaluator, ...Array(40).fill(reject())] });
      seen.add(run.reason);

      expect(session.hands.work.commands).toEqual(mayRun(said.slice(0, run.model.of("worker").length)));
      const accepts = run.of("evaluator_verdict").filter(({ verdict }) => verdict.verdict === "accept");
      expect(session.branch.moves).toHaveLength(accepts.length);
      expect(session.statuses.filter((status) => status === "done")).toHaveLength(accepts.length);
      expect(accepts.length).toBeLessThanOrEqual(evaluator.filter((reply) => reply === accept).length);
      const ledger = ["T-001", "T-002"].flatMap((id) => session.files.loadLedger(id).map(({ verdict }) => verdict));
      expect(ledger).toEqual(run.of("evaluator_verdict").map(({ verdict }) => verdict));
      expect(run.end.stop.reason).not.toBe("error");
    }),
    { numRuns: 60, seed: 4 },
  );
  // the runs must not all end the same way
  expect(seen.size).toBeGreaterThan(2);
});
