const word = /[\w./\\-]/;

/** Tells whether a task's own words name a file by its path, as they must for a file that decides over the checks. */
export function names(text: string, path: string): boolean {
  return hasWord(text, path) || hasWord(text, `/workspace/${path}`);
}

function hasWord(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const before = text.slice(Math.max(0, at - 4), at).replace(/\.\/$/, "");
    const after = text.slice(at + token.length, at + token.length + 40);
    const ends = !word.test(after.slice(0, 1)) || /^[.-]+(?:\W|$)/.test(after);
    if (ends && !word.test(before.slice(-1))) return true;
  }
  return false;
}
