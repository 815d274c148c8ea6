/**
 * Returns the first key that stands twice in one object of a JSON text (JSON.parse would keep the last one), or null.
 */
export function repeatedKey(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charAt(at);
    if (char === "{") open.push(new Set());
    else if (char === "[") open.push(null);
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(json, at);
      const keys = open.at(-1);
      if (keys && isKey(json, end)) {
        const key: string = JSON.parse(json.slice(at, end + 1));
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end;
    }
  }
  return null;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (backslashesBefore(json, end) % 2 === 1) end = json.indexOf('"', end + 1);
  return end;
}

function backslashesBefore(json: string, end: number): number {
  let at = end;
  while (json.charAt(at - 1) === "\\") at -= 1;
  return end - at;
}

/** In JSON only a key has a colon behind it. */
function isKey(json: string, end: number): boolean {
  let at = end + 1;
  while (/\s/.test(json.charAt(at))) at += 1;
  return json.charAt(at) === ":";
}
