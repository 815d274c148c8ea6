import { expect, test } from "vitest";
import { Output } from "../../../cli/output/output.js";
import { line } from "../../../cli/output/painted.js";
import { sayEnd } from "../../../cli/output/summary-text.js";
import { forPerson } from "../../../cli/watch/watch.js";
import { commitId, hostPath } from "../../../runner/base/ids.js";
import { SessionStore, type TilthEvent } from "../../../runner/index.js";
import { SummaryRollup } from "../../../runner/session/summary/summary.js";
import { hostileEvents, hostileText } from "../../helpers/hostile-events.js";
import { scratch } from "../../helpers/scratch.js";
import { oid } from "../../session/event-fixtures.js";

const { signal } = new AbortController();
const caps = {
  maxIterationsPerTask: 32,
  maxWallClockMinutes: 120,
  maxTokens: 20_000,
  maxCostUsd: 1,
  maxEvaluatorCallsPerTask: null,
};
const esc = "\u001b";
/** escape sequences that tilth itself writes: colours, and those that draw a block in place */
const own = /^\[(?:\d+A|J|\?7[lh]|\?2026[hl]|(?:1|2|22|31|32|39)m)/;
const acting = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]/u;

function withoutOurs(text: string): string {
  const [start = "", ...sequences] = text.replaceAll(`\r${esc}[`, `${esc}[`).split(esc);
  return start + sequences.map((each) => (own.test(each) ? each.replace(own, "") : `${esc}${each}`)).join("");
}

/** Everything that a person sees of a run with these events, in a terminal or in a pipe. */
async function shown(events: readonly TilthEvent[], terminal: boolean): Promise<string> {
  let text = "";
  const sink = async (bytes: Buffer) => {
    text += bytes.toString();
  };
  const target = { sink, terminal, coloured: terminal, columns: () => 100, rows: () => 30 };
  const output = new Output(target, target);
  const files = new SessionStore(hostPath(scratch())).create({
    source: hostPath(`/tmp/${hostileText.replaceAll("/", "")}`),
    baseCommit: commitId(oid("a")),
  });
  const task = { id: "T-001", title: hostileText, description: hostileText, acceptance_criteria: [hostileText] };
  files.savePrd([{ ...task, status: "pending" }]);
  const watch = forPerson(output, { files, caps });
  const rollup = new SummaryRollup();
  for (const event of events) {
    watch.heard(event);
    await new Promise((resolve) => setTimeout(resolve, terminal ? 90 : 0));
    rollup.add(event);
  }
  await watch.end(signal);
  const stop = { reason: "infra" as const, detail: hostileText, hint: hostileText };
  const left = { executes: [hostileText], renamed: [hostileText], problem: hostileText };
  sayEnd(output, files, { stop, summary: rollup.summary(caps), ...left, cause: null });
  await output.drain(signal);
  return text;
}

test.each([true, false])("no event can act on whoever watches a run (at a terminal: %s)", async (terminal) => {
  const text = await shown(hostileEvents(), terminal);
  expect(text).toContain("onerror=alert(2)");
  expect(withoutOurs(text)).not.toMatch(acting);
  expect(text.match(/^00:00 {2}commit 0000000000$/m)).toBeNull();
});

test("the test notices what a naive line would let through", () => {
  expect(withoutOurs(hostileText)).toMatch(acting);
  expect(withoutOurs(line`${hostileText}`.render({ coloured: true, columns: 1_000 }))).not.toMatch(acting);
});
