import { tokenParts } from "../../../output/token-parts.js";
import { el } from "../elements/dom.js";
import { amount, counted, day, money, span } from "../elements/numbers.js";
import { badge, fold, json, list, longText, prose } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { fieldsOf, listOf, numberOf, textOf, textOrNull, textsOf } from "../log/read.js";
import { useOf } from "../log/tallies.js";
import type { Block } from "./block.js";

export function modelCall([event]: readonly LoggedEvent[]): Block {
  const call = fieldsOf(event?.payload);
  const calls = listOf(call.calls).map(fieldsOf);
  const finish = textOf(call.finish_reason);
  const { cost, cost_from: from, ...use } = useOf(call);
  const [reasoning, content] = [textOf(call.reasoning), textOf(call.content)];
  const own = fieldsOf(call.own_fields);
  return {
    label: roleOf(call.phase),
    title: textOf(call.model),
    badge: finish === "length" ? badge(false, "cut off") : null,
    facts: [
      `${amount(use.prompt_tokens)} → ${amount(use.eval_tokens)} tokens${use.estimated ? " (estimated)" : ""}`,
      tokenParts(use, amount) || null,
      cost === null ? null : `${money(cost)}${from === "prices" ? " by prices.json" : ""}`,
      span(use.ms),
      numberOf(call.attempt) > 1 ? `attempt ${numberOf(call.attempt)}` : null,
      textOrNull(call.model_asked) === null ? null : `asked for ${textOf(call.model_asked)}`,
    ],
    body: [
      reasoning === ""
        ? null
        : fold("Reasoning", counted(reasoning.length, "character"), () => [prose(reasoning, 400)]),
      content === "" ? null : prose(content),
      calls.length === 0 ? null : callsAsTheyCame(calls),
      Object.keys(own).length === 0
        ? null
        : fold("Of its provider's own", Object.keys(own).join(", "), () => [longText(json(own), 400)]),
    ],
  };
}

function callsAsTheyCame(calls: readonly ReturnType<typeof fieldsOf>[]): HTMLElement {
  const names = calls.map(({ name }) => textOf(name)).join(", ");
  return fold("Calls", names, () =>
    calls.flatMap((call) => [el("h4", {}, textOf(call.name), " ", textOf(call.id)), longText(textOf(call.arguments))]),
  );
}

/** Shows a prompt, and the channels it was put together from if they are logged before it. */
export function prompt(events: readonly LoggedEvent[]): Block {
  const assembled = fieldsOf(events.find(({ type }) => type === "prompt_assembled")?.payload);
  const load = events.find(({ type }) => type === "memory_load");
  const content = textOrNull(assembled.content);
  const role = textOf(assembled.role) || textOf(load?.payload.role);
  const chars = counted(content?.length ?? 0, "character");
  return {
    label: `to the ${roleOf(role)}`,
    tone: "quiet",
    body: [
      content === null ? null : fold("Prompt", chars, () => [longText(content, 4_000)]),
      load ? fold("Put together from", channelsOf(load), () => [channels(load)]) : null,
    ],
  };
}

function channelsOf(load: LoggedEvent): string {
  const all = Object.entries(fieldsOf(load.payload.channels)).filter(([, use]) => fieldsOf(use).present === true);
  return counted(all.length, "channel");
}

function channels(load: LoggedEvent): HTMLElement {
  const rows = Object.entries(fieldsOf(load.payload.channels)).map(([name, value]) => {
    const use = fieldsOf(value);
    const size = use.present === true ? counted(numberOf(use.chars), "character") : "not there";
    return `${name}: ${size}${use.truncated === true ? ", cut" : ""}`;
  });
  return list(rows);
}

export function emptyReply([event]: readonly LoggedEvent[]): Block {
  const { phase, in_a_row } = fieldsOf(event?.payload);
  return { label: roleOf(phase), title: "returned nothing", facts: [`${numberOf(in_a_row)} in a row`], tone: "bad" };
}

export function retry([event]: readonly LoggedEvent[]): Block {
  const { phase, attempt, reason, wait_ms } = fieldsOf(event?.payload);
  return {
    label: roleOf(phase),
    title: "asked again",
    facts: [`attempt ${numberOf(attempt)}`, `after ${span(numberOf(wait_ms))}`],
    body: [longText(textOf(reason), 4)],
    tone: "bad",
  };
}

export function limitWait([event]: readonly LoggedEvent[]): Block {
  const { phase, reason, wait_ms, until } = fieldsOf(event?.payload);
  return {
    label: roleOf(phase),
    title: "waited for the model's limit",
    facts: [span(numberOf(wait_ms)), textOf(until) === "" ? null : `until ${day(Date.parse(textOf(until)))}`],
    body: [longText(textOf(reason), 4)],
    tone: "quiet",
  };
}

export function leftOut([event]: readonly LoggedEvent[]): Block {
  const { phase, parameter, sent_instead, reason } = fieldsOf(event?.payload);
  const instead = textOrNull(sent_instead);
  return {
    label: roleOf(phase),
    title: `${textOf(parameter)} was refused`,
    facts: [instead === null ? "left out from then on" : `${instead} is sent in its place`],
    body: [longText(textOf(reason), 4)],
    tone: "quiet",
  };
}

export function foldedContext([event]: readonly LoggedEvent[]): Block {
  const { why, lines, folded } = fieldsOf(event?.payload);
  return {
    label: "context",
    title: why === "full" ? "full: old results were shortened" : "nearly full: old results were shortened",
    facts: [counted(listOf(folded).length, "result")],
    body: [fold("Lines in their places", "", () => [longText(textsOf(lines).join("\n"), 400)])],
    tone: "quiet",
  };
}

export function roleOf(phase: unknown): string {
  return textOf(phase).replaceAll("_", "-") || "model";
}

export function generic([event]: readonly LoggedEvent[]): Block {
  return {
    label: (event?.type ?? "event").replaceAll("_", " "),
    body: event && Object.keys(event.payload).length > 0 ? [longText(json(event.payload))] : [],
    tone: "quiet",
  };
}
