import type { Painted } from "./painted.js";

const up = (rows: number) => (rows > 0 ? `\r\u001b[${rows}A` : "");
const restOfScreen = "\u001b[J";
const unwrapped = (text: string) => `\u001b[?7l${text}\u001b[?7h`;
/** terminals that know this show nothing half done, and others ignore it */
const atOnce = (text: string) => `\u001b[?2026h${text}\u001b[?2026l`;

interface Look {
  readonly coloured: boolean;
  readonly columns: number;
}

/** The last lines of a terminal, drawn again in place while other lines scroll away above them. */
export class StatusBlock {
  /** what stands on the terminal now */
  #drawn: readonly number[] = [];

  /** What to write for `above`, whole lines, to stand above the block, and for `lines` to be the block. */
  redraw(above: string, lines: readonly Painted[], look: Look): string {
    if (this.#drawn.length === 0 && lines.length === 0) return above;
    const back = up(rowsOf(this.#drawn, look.columns));
    this.#drawn = lines.map(({ length }) => Math.min(length, look.columns));
    const block = lines.map((each) => `${each.render(look)}\n`).join("");
    return atOnce(`${back}${restOfScreen}${above}${unwrapped(block)}`);
  }
}

/** A window that has become narrower has broken long lines into several. */
function rowsOf(lengths: readonly number[], columns: number): number {
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0);
}
