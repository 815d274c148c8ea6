import { isatty } from "node:tty";
import type { Output } from "../output/output.js";

/** Whether somebody is there who can be asked: keys come from a terminal, and questions go to one. */
export function atTerminal(): boolean {
  return isatty(0) && isatty(2);
}

/** The chosen option, null at the end of input. */
export type Choose = (text: string, options: readonly string[]) => Promise<number | null>;

/** What draws on a terminal is loaded when somebody is asked, and by no verb that asks nothing. */
export function choosing(output: Output, signal: AbortSignal): Choose {
  return async (text, options) => {
    const { TerminalFrontend } = await import("../frontend/terminal.js");
    return await new TerminalFrontend(output, () => false).choose(text, options, signal);
  };
}
