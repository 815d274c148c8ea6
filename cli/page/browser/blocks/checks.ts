import { el } from "../elements/dom.js";
import { counted, span } from "../elements/numbers.js";
import { badge, fold, list, longText, openFold } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textOrNull, textsOf } from "../log/read.js";
import { type Block, treeOf } from "./block.js";
import { named } from "./tools.js";

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

function passedBadge(passed: unknown): HTMLElement {
  return badge(passed === true, passed === true ? "passed" : "failed");
}
