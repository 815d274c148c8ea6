/**
 * Characters that can move a cursor, forge a line or turn text around: C0 and C1 controls, line and paragraph
 * separators, bidi controls, invisible marks and tags, interlinear annotation. Joiners stay: Persian and emoji need
 * them.
 */
const acting = String.raw`\p{Cc}\u2028\u2029\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}`;
const unprintable = new RegExp(`[${acting}]`, "gu");
const unprintableButBreaks = new RegExp(`(?![\\n\\t])[${acting}]`, "gu");
const hidden = new RegExp(`(?![\\n\\t]|\\r\\n)[${acting}\\p{Default_Ignorable_Code_Point}\\p{Cs}]`, "gu");
const halfCharacter = /\p{Cs}/gu;
const breaks = /[\s\u0085\u2028\u2029]+/gu;

/** Returns one printable line of at most `maxLength` characters, with an ellipsis where it was cut. */
export function oneLine(text: string, maxLength: number): string {
  // a title of megabytes is cut before it is processed; whatever fits on the line stands in this part
  const start = text.slice(0, maxLength * 50);
  const line = start.replace(breaks, " ").replace(unprintable, "").replace(halfCharacter, "\ufffd").trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Makes lines of text safe for a terminal or a file that people read: only line breaks and tabs stay of all controls.
 */
export function forTerminal(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(unprintableButBreaks, "").replace(halfCharacter, "\ufffd");
}

/**
 * Prepares others' text for a model: spells out characters that act or hide, so that nothing looks like another thing.
 */
export function forModel(text: string): string {
  return text.replace(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`);
}

export function forGitSubject(text: string): string {
  return oneLine(text, 100);
}

/** Fits text into one field of a tab-separated line. */
export function forProgressLine(text: string): string {
  return oneLine(text, 200);
}
