import { expect, test } from "vitest";
import { Past } from "../../runner/reconcile/past.js";
import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import { span } from "../helpers/recorded-events.js";

const tree = "a".repeat(40);
const sha = "b".repeat(40);

function pastOf(...events: readonly (readonly [EventType, object])[]): Past {
  const past = new Past();
  for (const [seq, [type, payload]] of events.entries())
    past.add({ v: 1, seq, ts: "2030-01-01T00:00:00.000Z", type, payload } as TilthEvent);
  return past;
}

const accept = { verdict: "accept", rejection_category: null, next_step: null } as const;
const reject = { verdict: "reject", rejection_category: "weak_test", next_step: "test it" } as const;
const verdict = (answer: typeof accept | typeof reject): readonly [EventType, Payload<"evaluator_verdict">] => [
  "evaluator_verdict",
  { ...span, tree, verdict: { ...answer, concern: "x", evidence: [] }, parse_failed: false },
];
const counterCheck = (passed: boolean): readonly [EventType, Payload<"counter_check">] => [
  "counter_check",
  { ...span, tree, passed, reached: 1, caught: [], left_out: [] },
];

test("an accept without a commit is left to be committed, whether or not its counter-check was recorded", () => {
  expect(pastOf(verdict(accept)).accepted()).toMatchObject({ tree, countered: null });
  expect(pastOf(verdict(accept), counterCheck(true)).accepted()).toMatchObject({ tree, countered: true });
});

test("an accept that its counter-check voided is not left to be committed", () => {
  expect(pastOf(verdict(accept), counterCheck(false)).accepted()).toBeNull();
});

test("a rejected case, or one whose task is done, leaves nothing to be committed", () => {
  expect(pastOf(verdict(reject)).accepted()).toBeNull();
  expect(pastOf(verdict(accept), ["task_done", { ...span, sha }]).accepted()).toBeNull();
});
