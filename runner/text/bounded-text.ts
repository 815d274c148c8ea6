export interface Bounded {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Returns the start of a text: at most `maxBytes` of UTF-8 with the mark of the cut, never half a character. `inAll` is
 * the length to report for a text that is itself only a start.
 */
export function headOf(text: string, maxBytes: number, inAll = Buffer.byteLength(text)): Bounded {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, truncated: false };
  const mark = `\n[cut here: ${inAll} bytes in all]`;
  return { text: startOf(bytes, maxBytes - mark.length) + mark, truncated: true };
}

/** Returns the end of a text in the same way. */
export function tailOf(text: string, maxBytes: number): Bounded {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, truncated: false };
  const mark = `[the start is cut: ${bytes.length} bytes in all]\n`;
  return { text: mark + endOf(bytes, maxBytes - mark.length), truncated: true };
}

/** Returns the start and the end of a text, because a tool's first and last words explain it best. */
export function endsOf(text: string, maxBytes: number): Bounded {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, truncated: false };
  const mark = `\n[the middle is cut: ${bytes.length} bytes in all]\n`;
  const half = Math.floor((maxBytes - mark.length) / 2);
  return { text: startOf(bytes, half) + mark + endOf(bytes, half), truncated: true };
}

function startOf(bytes: Uint8Array, maxBytes: number): string {
  let end = Math.max(0, Math.min(maxBytes, bytes.length));
  while (end > 0 && end < bytes.length && continues(bytes[end])) end -= 1;
  return decoded(bytes.subarray(0, end));
}

function endOf(bytes: Uint8Array, maxBytes: number): string {
  let start = Math.max(0, bytes.length - Math.max(0, maxBytes));
  while (start > 0 && start < bytes.length && continues(bytes[start])) start += 1;
  return decoded(bytes.subarray(start));
}

/** Decodes bytes from anywhere; invalid UTF-8 shows as replacement characters. */
export function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
