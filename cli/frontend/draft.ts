import type { Key } from "node:readline";
import { forTerminal } from "../../runner/text/sanitise.js";

/** The text typed so far, on both sides of the cursor. */
export interface Draft {
  readonly before: string;
  readonly after: string;
}

export const nothingTyped: Draft = { before: "", after: "" };
export const longestDraft = 20_000;

export function textOf({ before, after }: Draft): string {
  return before + after;
}

/** Inserts typed or pasted text at the cursor, without characters that act on a terminal. */
export function inserted(draft: Draft, text: string): Draft {
  const room = longestDraft - textOf(draft).length;
  return { ...draft, before: draft.before + forTerminal(text.replace(/\r\n?/g, "\n")).slice(0, room) };
}

/** Edits the draft as line editors do; null if the key is not one of theirs. */
export function edited(draft: Draft, key: Key): Draft | null {
  const edit = edits[key.ctrl ? `^${key.name}` : (key.name ?? "")];
  // Esc alone arrives as Alt without a second key
  return edit && (!key.meta || key.name === "escape") ? edit(draft) : null;
}

const left = ({ before, after }: Draft): Draft => {
  const [head, last] = cutLast(before);
  return { before: head, after: last + after };
};
const right = ({ before, after }: Draft): Draft => {
  const [first = "", ...rest] = after;
  return { before: before + first, after: rest.join("") };
};
const start = (draft: Draft): Draft => ({ before: "", after: textOf(draft) });
const end = (draft: Draft): Draft => ({ before: textOf(draft), after: "" });
const eraseLeft = ({ before, after }: Draft): Draft => ({ before: cutLast(before)[0], after });
const eraseRight = ({ before, after }: Draft): Draft => ({ before, after: [...after].slice(1).join("") });

const edits: Readonly<Record<string, ((draft: Draft) => Draft) | undefined>> = {
  left,
  "^b": left,
  right,
  "^f": right,
  home: start,
  "^a": start,
  end,
  "^e": end,
  backspace: eraseLeft,
  "^h": eraseLeft,
  delete: eraseRight,
  "^d": eraseRight,
  escape: () => nothingTyped,
  "^u": ({ after }) => ({ before: "", after }),
  "^k": ({ before }) => ({ before, after: "" }),
  "^w": ({ before, after }) => ({ before: before.replace(/\S*\s*$/, ""), after }),
  // Ctrl-J; Enter is "return"
  enter: (draft) => inserted(draft, "\n"),
};

function cutLast(text: string): readonly [head: string, last: string] {
  const characters = [...text];
  const last = characters.pop() ?? "";
  return [characters.join(""), last];
}
