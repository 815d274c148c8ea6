import { type Bounded, decoded, headOf } from "../text/bounded-text.js";

/** All of them together; whoever fetches one needs no more than a byte beyond. */
export const contextFilesBytes = 8 * 1024;

export interface ContextFile {
  readonly path: string;
  /** null when there is none: it is on the manifest, and nowhere else */
  readonly content: Uint8Array | null;
  /** of the whole file, where `content` is only its start */
  readonly size: number;
}

/** Files in the order of the setting share one allowance; what came too late is left out, marked as cut. */
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
