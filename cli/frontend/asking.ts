import type { Key } from "node:readline";
import { type Draft, edited, inserted, longestDraft, nothingTyped, textOf } from "./draft.js";

/** The options and rules of one question. */
export interface Choices {
  readonly options: readonly string[];
  /** true if any text will do; otherwise it must be one of the options */
  readonly free: boolean;
  /** the option marked at first */
  readonly initial: number;
  /** true for answers that must not be taken */
  readonly refuses: (answer: string) => boolean;
}

export type Reply =
  | { readonly kind: "option"; readonly index: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "nothing" }
  /** Ctrl-D */
  | { readonly kind: "end_of_input" };

/** The state of a question while it is answered. */
export interface Asking {
  /** index of the marked option; "other" comes after the last one */
  readonly at: number;
  readonly draft: Draft;
  /** the problem with the last key */
  readonly remark: string;
  /** text of a paste so far; null if nothing is being pasted */
  readonly pasted: string | null;
  readonly reply: Reply | null;
}

export const noAnswer = "(no answer)";

export const remarks = {
  key: "that looks like a key or a password, and none is sent to a model; answer without it",
  nothing: "nothing is typed; press Enter again to give no answer",
  typed: "Esc clears what is typed",
  other: "type your answer",
  full: `only the first ${longestDraft.toLocaleString("en-US")} characters are taken`,
};

export function begin({ initial }: Pick<Choices, "initial">): Asking {
  return { at: initial, draft: nothingTyped, remark: "", pasted: null, reply: null };
}

/** Returns the state after one key. */
export function pressed(asking: Asking, choices: Choices, key: Key): Asking {
  if (asking.pasted !== null) return pasting(asking, asking.pasted, key);
  if (key.name === "paste-start") return { ...asking, pasted: "" };
  if (key.name === "return") return entered(asking, choices);
  if (key.name === "up" || key.name === "down") return moved(asking, choices, key.name === "up" ? -1 : 1);
  if (key.ctrl && key.name === "d" && textOf(asking.draft) === "")
    return { ...asking, reply: { kind: "end_of_input" } };
  const draft = edited(asking.draft, key) ?? typed(asking.draft, key);
  return draft === null ? asking : withDraft(asking, draft);
}

function typed(draft: Draft, { sequence = "", ctrl, meta }: Key): Draft | null {
  return ctrl || meta || [...sequence].length !== 1 ? null : inserted(draft, sequence);
}

function withDraft(asking: Asking, draft: Draft): Asking {
  return { ...asking, draft, remark: textOf(draft).length < longestDraft ? "" : remarks.full };
}

function pasting(asking: Asking, pasted: string, { name, sequence = "" }: Key): Asking {
  if (name === "paste-end")
    return withDraft({ ...asking, pasted: null }, inserted(asking.draft, pasted.replace(/[\r\n]+$/, "")));
  return [...sequence].length === 1 ? { ...asking, pasted: pasted + sequence } : asking;
}

function moved(asking: Asking, choices: Choices, by: 1 | -1): Asking {
  const count = choices.options.length + (choices.free ? 1 : 0);
  const from = numberIn(asking, choices);
  if (textOf(asking.draft) !== "" && from === null) return { ...asking, remark: remarks.typed };
  const at = ((from ?? asking.at) + by + count) % count;
  return { ...asking, at, draft: nothingTyped, remark: "" };
}

/** Returns the index of the marked option; "other" comes after the last one, and null means none. */
export function markedIn(asking: Asking, choices: Choices): number | null {
  const text = textOf(asking.draft).trim();
  const other = choices.options.length;
  if (text === "" || (choices.free && asking.at === other)) return asking.at;
  return numberIn(asking, choices) ?? (choices.free ? other : beginningWith(text, choices.options));
}

/** Returns the option whose number is typed. Under "other" a number is an answer like any other. */
function numberIn({ at, draft }: Asking, { options, free }: Choices): number | null {
  const text = textOf(draft).trim();
  if (!/^\d{1,3}$/.test(text) || (free && at === options.length)) return null;
  const index = Number(text) - 1;
  return index >= 0 && index < options.length + (free ? 1 : 0) ? index : null;
}

function beginningWith(text: string, options: readonly string[]): number | null {
  const fitting = options.flatMap((option, at) => (option.toLowerCase().startsWith(text.toLowerCase()) ? [at] : []));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function entered(asking: Asking, choices: Choices): Asking {
  const marked = markedIn(asking, choices);
  if (marked === null)
    return { ...asking, draft: nothingTyped, remark: `type a number from 1 to ${choices.options.length}` };
  if (marked < choices.options.length) return { ...asking, reply: { kind: "option", index: marked } };
  if (asking.at !== marked && numberIn(asking, choices) === marked)
    return { ...asking, at: marked, draft: nothingTyped, remark: remarks.other };
  return answeredFreely(asking, choices);
}

function answeredFreely(asking: Asking, { options, refuses }: Choices): Asking {
  const text = textOf(asking.draft).trim();
  if (text === "" && asking.remark === remarks.nothing) return { ...asking, reply: { kind: "nothing" } };
  if (text === "") return { ...asking, draft: nothingTyped, remark: remarks.nothing };
  if (refuses(text)) return { ...asking, at: options.length, draft: nothingTyped, remark: remarks.key };
  return { ...asking, reply: { kind: "text", text } };
}
