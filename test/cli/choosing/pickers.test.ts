import { expect, test } from "vitest";
import { type PickerChoice, pickInFlight, pickInsteadOfRun, rowText } from "../../../cli/choosing/pickers.js";
import { asSessionId, type SessionId } from "../../../runner/base/ids.js";
import type { SessionRow } from "../../../runner/index.js";

function sessionId(text: string): SessionId {
  return asSessionId(text) ?? expect.fail(`${text} is no id`);
}

const tasks = { done: 1, failed: 0, pending: 2 };

function row(given: Partial<SessionRow> = {}): SessionRow {
  return {
    id: sessionId("20260102-101112-a1b2c3"),
    problem: null,
    status: "prepared",
    lastStop: null,
    heldBy: null,
    source: "/code/shop",
    label: "prices in cents",
    tasks,
    tokens: 0,
    cost: null,
    createdAt: null,
    ageMs: null,
    ...given,
  };
}

const other = row({ id: sessionId("20260101-000000-ffffff"), status: "running" });

/** The options that are shown, and the result of each choice. */
async function offered(pick: typeof pickInFlight, rows: readonly SessionRow[]) {
  let shown: readonly string[] = [];
  let above = "";
  const choose = (index: number | null) =>
    pick(rows, async (text, options) => {
      [above, shown] = [text, options];
      return index;
    });
  const ended = await choose(null);
  const meanings: PickerChoice[] = [];
  for (const at of shown.keys()) meanings.push(await choose(at));
  return { above, shown, meanings, ended };
}

const goOn = (inFlight: string) => ({ kind: "go_on", inFlight });
const cancelled = { kind: "cancelled" };

test("a prepared session in flight may be run, discarded, kept beside, or left alone", async () => {
  const { above, shown, meanings, ended } = await offered(pickInFlight, [row()]);
  expect(above).toContain("20260102-101112-a1b2c3 · prepared · prices in cents");
  expect(shown).toEqual([
    "run 20260102-101112-a1b2c3",
    "discard it and prepare a new one",
    "prepare a new one alongside it",
    "cancel",
  ]);
  expect(meanings).toEqual([{ kind: "run", row: row() }, goOn("discard"), goOn("keep"), cancelled]);
  expect(ended).toEqual(cancelled);
});

test.each(["running", "failed"] as const)(
  "a %s session may be resumed, discarded, kept beside, or left alone",
  async (status) => {
    const { shown, meanings } = await offered(pickInFlight, [row({ status })]);
    expect(shown[0]).toBe("resume 20260102-101112-a1b2c3");
    expect(meanings).toEqual([{ kind: "run", row: row({ status }) }, goOn("discard"), goOn("keep"), cancelled]);
  },
);

test.each([
  ["is being prepared by another process", { status: "preparing", tasks: null }],
  ["failed before it had tasks", { status: "failed", tasks: null }],
] as const)("a session that %s is neither run nor resumed", async (_name, given) => {
  const { meanings } = await offered(pickInFlight, [row(given)]);
  expect(meanings).toEqual([goOn("discard"), goOn("keep"), cancelled]);
});

test("several sessions are listed and dealt with together, and the first choice discards none", async () => {
  const { above, meanings, ended } = await offered(pickInFlight, [row(), other]);
  expect(above.split("\n").slice(1)).toEqual([row(), other].map(rowText));
  expect(meanings).toEqual([goOn("keep"), goOn("discard"), cancelled]);
  expect(ended).toEqual(cancelled);
});

test("nobody is asked when no session is in flight", async () => {
  const choose = async () => expect.fail("somebody was asked");
  expect(await pickInFlight([], choose)).toEqual(goOn("refuse"));
});

test("a run without a prepared session offers the earlier one, or to prepare one", async () => {
  const none = await offered(pickInsteadOfRun, []);
  expect(none.meanings).toEqual([goOn("refuse"), cancelled]);
  expect(none.ended).toEqual(cancelled);
  const one = await offered(pickInsteadOfRun, [other]);
  expect(one.meanings).toEqual([{ kind: "run", row: other }, goOn("discard"), goOn("keep"), cancelled]);
  const several = await offered(pickInsteadOfRun, [other, row({ status: "failed" })]);
  expect(several.shown[1]).toBe("discard them all and prepare a new one");
});

test("a row holds id, status, holder, how the session stopped, and its label", () => {
  expect(rowText(row({ status: "running", lastStop: "token_cap" }))).toBe(
    "20260102-101112-a1b2c3 · running · stopped: token_cap · prices in cents",
  );
  expect(rowText(row({ status: "preparing", heldBy: { pid: 7, host: "h" }, label: "" }))).toBe(
    "20260102-101112-a1b2c3 · preparing · held by process 7",
  );
  expect(rowText(row({ status: null, label: "" }))).toBe("20260102-101112-a1b2c3 · unreadable");
});
