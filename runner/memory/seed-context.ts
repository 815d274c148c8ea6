import { type Bounded, headOf } from "../text/bounded-text.js";

const seedContextBytes = 4 * 1024;
const gap = "\n\n";

/** Notes on what one interview settled. */
interface SettledNotes {
  readonly tldr: string;
  readonly scope_notes: string;
  readonly blockers: readonly string[];
  readonly open_questions: readonly string[];
}

/** The part of `seed-meta.json` that a worker may see. */
export interface SeedContext extends SettledNotes {
  readonly appended?: readonly SettledNotes[] | undefined;
}

export function seedContextText(seed: SeedContext): Bounded {
  const later = (seed.appended ?? []).map((notes) => titled("Settled later, when tasks were added", notesText(notes)));
  return sharedOut([notesText(seed), ...later].filter((text) => text !== ""));
}

/** If the texts do not fit together, each gets the same share, so that a long early one leaves room for later ones. */
function sharedOut(texts: readonly string[]): Bounded {
  const whole = texts.join(gap);
  if (Buffer.byteLength(whole) <= seedContextBytes) return { text: whole, truncated: false };
  const share = Math.floor(seedContextBytes / texts.length) - gap.length;
  return { text: texts.map((text) => headOf(text, share).text).join(gap), truncated: true };
}

function notesText({ tldr, scope_notes, blockers, open_questions }: SettledNotes): string {
  const parts = [
    titled("In short", tldr.trim()),
    titled("Scope", scope_notes.trim()),
    titled("Blockers", listed(blockers)),
    titled("Open questions", listed(open_questions)),
  ];
  return parts.filter((part) => part !== "").join(gap);
}

function titled(title: string, text: string): string {
  return text === "" ? "" : `${title}:\n${text}`;
}

function listed(items: readonly string[]): string {
  return items
    .filter((item) => item.trim() !== "")
    .map((item) => `- ${item.trim()}`)
    .join("\n");
}
