import type { Painted } from "./painted.js";

const up = (rows: number) => (rows > 0 ? `\r\u001b[${rows}A` : "");
const restOfScreen = "\u001b[J";
const unwrapped = (text: string) => `\u001b[?7l${text}\u001b[?7h`;
/** terminals that know this sequence show nothing half drawn; others ignore it */
const atOnce = (text: string) => `\u001b[?2026h${text}\u001b[?2026l`;

interface Look {
  readonly coloured: boolean;
  readonly columns: number;
}

/** The last lines of a terminal, redrawn in place while other lines scroll away above them. */
export class StatusBlock {
  /** lengths of the lines now on the terminal */
  #drawn: readonly number[] = [];

  /** Returns the text to write so that `above` (whole lines) appears above the block, and `lines` become the block. */
  redraw(above: string, lines: readonly Painted[], look: Look): string {
    if (this.#drawn.length === 0 && lines.length === 0) return above;
    const back = up(rowsOf(this.#drawn, look.columns));
    this.#drawn = lines.map(({ length }) => Math.min(length, look.columns));
    const block = lines.map((each) => `${each.render(look)}\n`).join("");
    return atOnce(`${back}${restOfScreen}${above}${unwrapped(block)}`);
  }
}

/** Counts screen rows: a window that has become narrower has wrapped long lines. */
function rowsOf(lengths: readonly number[], columns: number): number {
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}
