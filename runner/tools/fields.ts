import { z } from "zod";

/** Text that names something: a path, a pattern, a command. */
export function said(maxBytes: number) {
  return z
    .string()
    .refine((text) => text.trim() !== "", "must not be blank")
    .refine((text) => !text.includes("\0"), "must not hold a NUL character")
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes`);
}

export function content(maxBytes: number) {
  return z.string().refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes`);
}

export const path = said(4096).describe("relative to the workspace, or absolute under /workspace");
