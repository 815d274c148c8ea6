import { type Bounded, headOf } from "../support/bounded-text.js";

const seedContextBytes = 4 * 1024;

/** What `seed-meta.json` holds that a worker may see. */
export interface SeedContext {
  readonly tldr: string;
  readonly scope_notes: string;
  readonly blockers: readonly string[];
  readonly open_questions: readonly string[];
}

export function seedContextText(seed: SeedContext): Bounded {
  const parts = [
    titled("In short", seed.tldr.trim()),
    titled("Scope", seed.scope_notes.trim()),
    titled("Blockers", listed(seed.blockers)),
    titled("Open questions", listed(seed.open_questions)),
  ];
  return headOf(parts.filter((part) => part !== "").join("\n\n"), seedContextBytes);
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
