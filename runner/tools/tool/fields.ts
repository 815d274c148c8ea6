import { z } from "zod";
import { oneLine } from "../../text/sanitise.js";

/** Half of a surrogate pair, which `\ud83d` in JSON may leave, is no character: no file could hold it as given. */
const halfCharacter = /\p{Surrogate}/u;

/** Text that names something: a path, a pattern, a command. */
export function said(maxBytes: number) {
  return content(maxBytes)
    .refine((text) => text.trim() !== "", "must not be blank")
    .refine((text) => !text.includes("\0"), "must not hold a NUL character");
}

/** Text that a person reads. */
export function shown(maxBytes: number) {
  return said(maxBytes).refine((text) => oneLine(text, maxBytes) !== "", "must not be blank");
}

export function content(maxBytes: number) {
  return z
    .string()
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes`)
    .refine((text) => !halfCharacter.test(text), "must not hold half a surrogate pair");
}

export const path = said(4096).describe("relative to the workspace, or absolute under /workspace");

export function withoutBlanks(items: readonly string[] | null | undefined): string[] {
  return (items ?? []).filter((item) => item.trim() !== "");
}
