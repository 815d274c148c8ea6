import { isatty } from "node:tty";
import type { Output } from "../output/output.js";

/** True if somebody can be asked: keys come from a terminal, and questions go to one. */
export function atTerminal(): boolean {
  return isatty(0) && isatty(2);
}

/** Returns the index of the chosen option, null at the end of input. */
export type Choose = (text: string, options: readonly string[]) => Promise<number | null>;

/** Loads the drawing code only when somebody is asked, so that verbs without questions do not pay for it. */
export function choosing(output: Output, signal: AbortSignal): Choose {
  return async (text, options) => {
    const { TerminalFrontend } = await import("../frontend/terminal.js");
    return await new TerminalFrontend(output, () => false).choose(text, options, signal);
  };
}
