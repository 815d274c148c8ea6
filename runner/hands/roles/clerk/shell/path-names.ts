const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Converts a path of git to a string and back. Names in UTF-8 stay as they are; others, and those that start with a
 * quote, are quoted as git itself does it, so that no two paths ever share a string.
 */
export function pathFromBytes(bytes: Uint8Array): string {
  const text = decode(bytes);
  return text === null || text.startsWith('"') ? quoted(bytes) : text;
}

export function bytesFromPath(path: string): Buffer {
  if (!path.startsWith('"')) return Buffer.from(path, "utf8");
  const octets: number[] = [];
  const inside = path.slice(1, -1);
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] !== "\\") octets.push(inside.charCodeAt(at));
    else {
      octets.push(Number.parseInt(inside.slice(at + 1, at + 4), 8));
      at += 3;
    }
  }
  return Buffer.from(octets);
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function quoted(bytes: Uint8Array): string {
  const plain = (byte: number) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, "0")}`;
  return `"${Array.from(bytes, (byte) => (plain(byte) ? String.fromCharCode(byte) : octal(byte))).join("")}"`;
}

/** Cuts git's output with `-z` into records. */
export function* zeroSeparated(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}
