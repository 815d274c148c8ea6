import { el } from "../elements/dom.js";
import { counted } from "../elements/numbers.js";
import { badge, fold, longText, prose } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { type Fields, fieldsOf, textOf, textsOf } from "../log/read.js";
import { type Block, treeOf } from "./block.js";
import { caseBlock, named } from "./tools.js";

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

function bodyOf({ body = [] }: Pick<Block, "body">): readonly Node[] {
  return body.filter((part) => part !== null);
}
