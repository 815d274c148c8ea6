/**
 * `<` can end a script; the others affect whoever looks at the file or the stream. They are those of `forModel`,
 * without the joiners.
 */
const acting =
  /[<\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;
const longestUnreadable = 2_000;

/** Makes JSON safe for a script block or a line of a stream: the same data, without characters that act. */
export function harmlessJson(json: string): string {
  return json.replace(acting, escaped);
}

/** Prepares a line of the log for the page; a line that is not JSON becomes an entry that says so. */
export function harmlessLine(line: string): string {
  return harmlessJson(onOneLine(line) ?? JSON.stringify({ unreadable: line.slice(0, longestUnreadable) }));
}

/** Null if it is not JSON. Line breaks between tokens are legal JSON, but would start a second line where it goes. */
function onOneLine(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return /[\r\n]/.test(line) ? JSON.stringify(value) : line;
  } catch {
    return null;
  }
}

function escaped(characters: string): string {
  return characters
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
