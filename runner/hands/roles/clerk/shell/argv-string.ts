const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Turns bytes into an argument: the resident's Python turns lone surrogates back into the bytes they stand for. */
export function argvString(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");
  }
}
