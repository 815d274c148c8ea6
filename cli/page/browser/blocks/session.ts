import { el } from "../elements/dom.js";
import { amount, counted, shortId } from "../elements/numbers.js";
import { badge, fold, list, longText, pairs, prose } from "../elements/texts.js";
import type { LoggedEvent } from "../log/item.js";
import { fieldsOf, listOf, numberOf, textOf, textsOf } from "../log/read.js";
import type { Block } from "./block.js";
import { named } from "./tools.js";

export function sessionStart([event]: readonly LoggedEvent[]): Block {
  const start = fieldsOf(event?.payload);
  const title = { "prep-feature": "an interview begins", seed: "a seed is staged", run: "the first run begins" };
  const phase = textOf(start.phase);
  return {
    label: "session",
    title: Object.hasOwn(title, phase) ? title[phase as keyof typeof title] : phase,
    facts: [`tilth ${textOf(start.version)}`],
    body: [
      pairs([
        ["source", textOf(start.source)],
        ["base", shortId(textOf(start.base_commit))],
        ["image", shortId(textOf(start.image))],
        ["author", textOf(start.author)],
      ]),
    ],
  };
}

export function prepared([event]: readonly LoggedEvent[]): Block {
  const { prd_entries, test_files, interviewer_model, tokens_used } = fieldsOf(event?.payload);
  return {
    label: "session",
    title: "prepared",
    facts: [
      counted(numberOf(prd_entries), "task"),
      counted(numberOf(test_files), "test file"),
      textOf(interviewer_model) === ""
        ? "hand-written"
        : `${textOf(interviewer_model)}, ${amount(numberOf(tokens_used))} tokens`,
    ],
    tone: "good",
  };
}

export function resumed([event]: readonly LoggedEvent[]): Block {
  const resume = fieldsOf(event?.payload);
  return {
    label: "session",
    title: "resumed",
    facts: [textOf(resume.last_stop) === "" ? "the last run was cut short" : `last stop: ${textOf(resume.last_stop)}`],
    body: [
      pairs([
        ["tried again", textsOf(resume.retried).join(", ")],
        ["pending", textsOf(resume.pending).join(", ")],
        ["image", shortId(textOf(resume.image))],
      ]),
      ...named("Repaired after a crash", textsOf(resume.reconciled)),
      fold("Plan", "", () => [longText(textsOf(resume.plan).join("\n"), 100)]),
    ],
  };
}

export function stopped([event]: readonly LoggedEvent[]): Block {
  const { reason, detail, hint } = fieldsOf(event?.payload);
  const done = reason === "all_done";
  return {
    label: "stop",
    badge: badge(done, textOf(reason).replaceAll("_", " ")),
    body: [
      textOf(detail) === "" ? null : prose(textOf(detail)),
      textOf(hint) === "" ? null : el("div", { class: "next" }, el("h4", {}, "What to do"), prose(textOf(hint))),
    ],
    tone: done ? "good" : "bad",
  };
}

export function receipt([event]: readonly LoggedEvent[]): Block {
  const shown = fieldsOf(event?.payload);
  const items = listOf(shown.items).map(fieldsOf);
  const failed = items.filter(({ passed }) => passed !== true);
  const lines = (some: typeof items) =>
    list(some.map(({ name, seen, passed }) => `${passed === true ? "✓" : "✗"} ${textOf(name)}: ${textOf(seen)}`));
  return {
    label: "isolation",
    badge: badge(shown.passed === true, shown.passed === true ? "proved" : "not proved"),
    facts: [textOf(shown.role), textOf(shown.runtime), counted(items.length, "item")],
    body: [
      failed.length === 0 ? null : lines(failed),
      fold("What was seen", "", () => [lines(items)]),
      ...named("Hosts that it may reach", textsOf(shown.open_to)),
      ...named("Limits that were not applied", textsOf(shown.left_out)),
    ],
    tone: shown.passed === true ? "quiet" : "bad",
  };
}

export function lost([event]: readonly LoggedEvent[]): Block {
  const { role, during, detail } = fieldsOf(event?.payload);
  return {
    label: "hands",
    badge: badge(false, "lost"),
    title: textOf(role),
    facts: [textOf(during) === "" ? null : `during ${textOf(during)}`],
    body: [longText(textOf(detail), 6)],
    tone: "bad",
  };
}

export function egress([event]: readonly LoggedEvent[]): Block {
  const { host, port, allowed, refusal, bytes_out, bytes_in } = fieldsOf(event?.payload);
  const reached = refusal === null;
  return {
    label: "network",
    badge: badge(reached, reached ? "reached" : (textOf(refusal) || "refused").replaceAll("_", " ")),
    title: `${textOf(host)}:${numberOf(port)}`,
    facts: [`${numberOf(bytes_out)} bytes out`, `${numberOf(bytes_in)} bytes in`],
    body: [],
    tone: allowed === true ? "quiet" : "bad",
  };
}

export function environment([event]: readonly LoggedEvent[]): Block {
  const { key, packages, python, pytest, taken, said, built } = fieldsOf(event?.payload);
  if (key === null) return { label: "environment", title: "none", tone: "quiet" };
  return {
    label: "environment",
    title: counted(numberOf(packages), "package"),
    facts: [`Python ${textOf(python)}`, `pytest ${textOf(pytest)}`, built === true ? "built" : "found"],
    body: [...named("From", textsOf(taken)), ...named("To know", textsOf(said))],
  };
}

export function restarted([event]: readonly LoggedEvent[]): Block {
  return { label: "hands", title: textOf(fieldsOf(event?.payload).role), facts: ["started again"] };
}

export function leftBehind([event]: readonly LoggedEvent[]): Block {
  const { executes, renamed, problem } = fieldsOf(event?.payload);
  const [runs, gone] = [textsOf(executes), textsOf(renamed)];
  const nothing = runs.length === 0 && gone.length === 0 && textOf(problem) === "";
  return {
    label: "left behind",
    title: nothing ? "nothing that runs by itself" : null,
    body: [
      ...named("Changed files that run on ordinary actions", runs),
      ...named("Renamed to make them harmless", gone),
      textOf(problem) === "" ? null : el("p", { class: "note bad" }, textOf(problem)),
    ],
    tone: nothing ? "quiet" : "bad",
  };
}

export function takenOver([event]: readonly LoggedEvent[]): Block {
  const { holder, reason } = fieldsOf(event?.payload);
  const rows = Object.entries(fieldsOf(holder)).map(([name, value]) => [name, textOf(value)] as const);
  return { label: "lock", title: "taken over", facts: [textOf(reason)], body: [pairs(rows)] };
}

export function taskBegins([event]: readonly LoggedEvent[]): Block {
  return {
    label: "task",
    title: `${textOf(fieldsOf(event?.payload).task_id)} begins with an empty context`,
    tone: "quiet",
  };
}

export function tornTail([event]: readonly LoggedEvent[]): Block {
  const { bytes } = fieldsOf(event?.payload);
  return {
    label: "log",
    title: "a torn last line was cut off",
    facts: [counted(numberOf(bytes), "byte")],
    tone: "quiet",
  };
}

export function unreadable([event]: readonly LoggedEvent[]): Block {
  const text = textOf(fieldsOf(event?.payload).unreadable);
  return { label: "log", badge: badge(false, "a line that is no event"), body: [longText(text, 4)], tone: "bad" };
}
