import type { Usage } from "../../../runner/session/summary/usage.js";
import { tokenParts } from "../../output/token-parts.js";
import type { Block } from "./block.js";
import { roleOf } from "./blocks-model.js";
import { caseBlock, named } from "./blocks-tools.js";
import { el } from "./dom.js";
import type { LoggedEvent } from "./item.js";
import { amount, counted, money, shortId, span } from "./numbers.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textOrNull, textsOf } from "./read.js";
import type { Receipt } from "./tallies.js";
import { badge, fold, list, longText, openFold, pairs, prose } from "./texts.js";

export function redCheck([event]: readonly LoggedEvent[]): Block {
  const check = fieldsOf(event?.payload);
  const tests = Object.entries(fieldsOf(check.tests)).map(([id, reason]) => `${id}: ${textOf(reason)}`);
  return {
    label: "red check",
    title: check.at === "staging" ? "at staging" : "before the task's work",
    facts: [`${counted(tests.length, "test")} red`, treeOf(check)],
    body: [
      tests.length === 0 ? null : fold("Why each is red", "", () => [list(tests, "mono")]),
      ...named("Files below tests/ that were read", textsOf(check.opened)),
    ],
  };
}

export function notRed([event]: readonly LoggedEvent[]): Block {
  const tests = textsOf(fieldsOf(event?.payload).tests);
  return {
    label: "red check",
    title: "passed before the work began",
    body: [list(tests, "mono")],
    tone: "bad",
  };
}

export function checkRun([event]: readonly LoggedEvent[]): Block {
  const run = fieldsOf(event?.payload);
  const seen = listOf(run.seen).map(fieldsOf);
  const expected = textsOf(run.expected);
  return {
    label: "check",
    badge: passedBadge(run.passed),
    facts: [counted(expected.length, "test"), span(numberOf(run.ms)), treeOf(run)],
    body: [
      ...listOf(run.checks).map((check) => oneCheck(fieldsOf(check))),
      ...named("Noticed about files that judge", textsOf(run.integrity_notes)),
      seen.length === 0 ? null : fold("Tests", counted(seen.length, "test"), () => [outcomes(seen)]),
    ],
    tone: run.passed === true ? "good" : "bad",
  };
}

function oneCheck(check: Fields): HTMLElement {
  const passed = check.passed === true;
  const output = textOf(check.output);
  const reason = textOrNull(check.reason);
  const more = `${passed ? "passed" : (reason ?? "failed")} · ${span(numberOf(check.ms))}`;
  if (output === "") return el("p", { class: "note" }, textOf(check.name), el("span", { class: "dim" }, ` ${more}`));
  const made = fold(textOf(check.name), more, () => [longText(output, passed ? 14 : 30)]);
  return passed ? made : openFold(made);
}

function outcomes(seen: readonly Fields[]): HTMLElement {
  return list(
    seen.map(({ id, outcome }) => `${textOf(outcome)}  ${textOf(id)}`),
    "mono",
  );
}

export function counterCheck([event]: readonly LoggedEvent[]): Block {
  const check = fieldsOf(event?.payload);
  const leftOut = textsOf(check.left_out);
  return {
    label: "counter-check",
    badge: passedBadge(check.passed),
    facts: [`${counted(numberOf(check.reached), "assertion")} made false`, treeOf(check)],
    body: [
      ...named("Passed all the same", textsOf(check.caught)),
      leftOut.length === 0 ? null : fold("Left out", counted(leftOut.length, "assertion"), () => [list(leftOut)]),
    ],
    tone: check.passed === true ? "good" : "bad",
  };
}

export function baseSuite([event]: readonly LoggedEvent[]): Block {
  const base = fieldsOf(event?.payload);
  const problem = textOf(base.problem);
  return {
    label: "the project's own tests",
    title: problem === "" ? null : problem,
    facts: [
      `${numberOf(base.passed)} pass`,
      `${numberOf(base.failed)} fail already`,
      `${numberOf(base.unstable)} unstable`,
      `${numberOf(base.skipped)} skipped`,
      treeOf(base),
    ],
    body: [
      ...named("Fail already", textsOf(base.failing)),
      ...named("Unstable", textsOf(base.unsteady)),
      ...named("No time for", textsOf(base.not_run)),
    ],
    tone: problem === "" ? "good" : "bad",
  };
}

export function suiteRun([event]: readonly LoggedEvent[]): Block {
  const run = fieldsOf(event?.payload);
  return {
    label: "the project's own tests",
    badge: passedBadge(run.passed),
    facts: [`${counted(numberOf(run.ran), "test")} as they were before`, treeOf(run)],
    body: [
      ...named("Do not pass any more", textsOf(run.failed)),
      ...named("In a new version, which the code before fails", textsOf(run.changed)),
      ...named("Fail as they were before an earlier task rewrote them", textsOf(run.outdated)),
      ...named("Gone, as the task allows", textsOf(run.gone)),
      ...named("Held from now on", textsOf(run.joined)),
      ...named("Failed without the change as well", textsOf(run.excused)),
      ...named("No time for", textsOf(run.not_run)),
    ],
    tone: run.passed === true ? "good" : "bad",
  };
}

export function verdict(events: readonly LoggedEvent[]): Block {
  const given = fieldsOf(events[0]?.payload);
  const said = fieldsOf(given.verdict);
  const accepted = said.verdict === "accept";
  const entry = events.find(({ type }) => type === "ledger_appended");
  return {
    label: "verdict",
    badge: badge(accepted, accepted ? "accepted" : "rejected"),
    title: textOf(said.rejection_category).replaceAll("_", " ") || null,
    facts: [given.parse_failed === true ? "made in place of an answer that could not be read" : null, treeOf(given)],
    body: [...verdictBody(said), entry ? fold("In the ledger", "", () => [ledgerEntry(entry)]) : null],
    tone: accepted ? "good" : "bad",
  };
}

function verdictBody(said: Fields): readonly (HTMLElement | null)[] {
  const next = textOf(said.next_step);
  const concern = textOf(said.concern);
  return [
    concern === "" ? null : prose(concern),
    ...named("Evidence", textsOf(said.evidence)),
    next === "" ? null : el("div", { class: "next" }, el("h4", {}, "Next step"), prose(next)),
  ];
}

function ledgerEntry({ payload }: LoggedEvent): HTMLElement {
  const entry = fieldsOf(payload.entry);
  return el("div", {}, longText(textOf(entry.diff_summary)), ...bodyOf(caseBlock(entry.case)));
}

export function strayLedger(events: readonly LoggedEvent[]): Block {
  const [event] = events;
  const entry = fieldsOf(fieldsOf(event?.payload).entry);
  return { label: "ledger", body: [...(event ? [ledgerEntry(event)] : []), ...verdictBody(fieldsOf(entry.verdict))] };
}

/** Shows a case or a verdict that could not be read. */
export function unread([event]: readonly LoggedEvent[]): Block {
  const { error, raw } = fieldsOf(event?.payload);
  return {
    label: event?.type === "case_parse_error" ? "case" : "verdict",
    badge: badge(false, "could not be read"),
    body: [
      prose(textOf(error)),
      fold("As it came", counted(textOf(raw).length, "character"), () => [longText(textOf(raw))]),
    ],
    tone: "bad",
  };
}

/** Shows a commit, from the commit object to the finished task. */
export function commit(events: readonly LoggedEvent[], receipt: Receipt | null): Block {
  const first = fieldsOf(events[0]?.payload);
  const has = (type: string) => events.some((event) => event.type === type);
  const moved = has("commit") || events[0]?.type === "seed_committed";
  return {
    label: events[0]?.type === "seed_committed" ? "seed commit" : "commit",
    title: shortId(textOf(first.sha)),
    mono: true,
    badge: has("task_done") ? badge(true, "task done") : moved ? null : badge(null, "prepared"),
    facts: [moved ? null : "the branch has not moved to it", treeOf(first), ...(receipt ? took(receipt) : [])],
    body: [
      receipt ? fold("What each role used", "", () => [pairs(rolesOf(receipt))]) : null,
      fold("Whole ids", "", () => [
        pairs([
          ["commit", textOf(first.sha)],
          ["tree", textOf(first.tree)],
        ]),
      ]),
    ],
    tone: "good",
  };
}

function rolesOf({ byRole }: Receipt): readonly (readonly [string, string])[] {
  return [...byRole].map(([role, usage]) => [roleOf(role), usedOf(usage).join(" · ")]);
}

function usedOf(usage: Usage): readonly string[] {
  const { total_tokens: tokens, cost } = usage;
  const parts = tokenParts(usage, amount);
  return [`${amount(tokens)} tokens${parts === "" ? "" : ` (${parts})`}`, ...(cost === null ? [] : [money(cost)])];
}

function took({ usage, ms, iterations, wasted }: Receipt): readonly string[] {
  return [
    ...usedOf(usage),
    span(ms),
    counted(iterations, "iteration"),
    ...(wasted === 0 ? [] : [counted(wasted, "wasted retry", "wasted retries")]),
  ];
}

export function taskDone([event]: readonly LoggedEvent[]): Block {
  return {
    label: "task",
    badge: badge(true, "done"),
    facts: [shortId(textOf(fieldsOf(event?.payload).sha))],
    tone: "good",
  };
}

export function taskFailed([event]: readonly LoggedEvent[]): Block {
  const { reason, detail } = fieldsOf(event?.payload);
  const body = textOf(detail) === "" ? [] : [prose(textOf(detail))];
  return { label: "task", badge: badge(false, "failed"), title: textOf(reason), body, tone: "bad" };
}

export function learning([event]: readonly LoggedEvent[]): Block {
  const { emitted, entry, reason } = fieldsOf(event?.payload);
  if (emitted === true) return { label: "learning", badge: badge(null, "proposed"), body: [prose(textOf(entry))] };
  return { label: "learning", title: "none", facts: [textOf(reason).replaceAll("_", " ")], tone: "quiet" };
}

function bodyOf({ body = [] }: Pick<Block, "body">): readonly Node[] {
  return body.filter((part) => part !== null);
}

function passedBadge(passed: unknown): HTMLElement {
  return badge(passed === true, passed === true ? "passed" : "failed");
}

function treeOf({ tree }: Fields): string | null {
  return textOrNull(tree) === null ? null : `tree ${shortId(textOf(tree))}`;
}
