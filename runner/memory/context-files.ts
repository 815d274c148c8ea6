import { type Bounded, decoded, headOf } from "../text/bounded-text.js";

/** Limit for all files together; one byte beyond it is the most a caller needs to read. */
export const contextFilesBytes = 8 * 1024;

export interface ContextFile {
  readonly path: string;
  /** null for a missing file: it is on the manifest only */
  readonly content: Uint8Array | null;
  /** size of the whole file, even if `content` is only its start */
  readonly size: number;
}

/**
 * Shares one allowance among the files, in the order of the setting; a file that gets none is left out and marked as
 * cut.
 */
export function sharedOut(
  files: readonly ContextFile[],
): readonly { readonly path: string; readonly content: Bounded }[] {
  let left = contextFilesBytes;
  return files.map(({ path, content, size }) => {
    const whole = content === null ? "" : decoded(content);
    const given = left < 200 ? { text: "", truncated: whole !== "" } : headOf(whole, left, size);
    left -= Buffer.byteLength(given.text);
    return { path, content: given };
  });
}
