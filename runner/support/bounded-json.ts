/**
 * What a text of JSON says; null where it is none, or would become more than `most` values and keys: a few megabytes of
 * brackets are gigabytes once they are objects.
 */
export function boundedJson(text: string, most: number): unknown {
  return hasMoreSigns(text, most) ? null : parsed(text);
}

const signs = /[[{,]/g;

/** Those in strings count too, so `most` has to leave room for them. */
function hasMoreSigns(text: string, most: number): boolean {
  signs.lastIndex = 0;
  for (let seen = 0; signs.test(text); seen += 1) if (seen >= most) return true;
  return false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
