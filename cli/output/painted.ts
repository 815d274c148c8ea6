import pc from "picocolors";
import { oneLine } from "../../runner/text/sanitise.js";

const longestField = 400;
const styles = { ...pc.createColors(true), plain: (text: string) => text };
type Style = "plain" | "bold" | "dim" | "green" | "red";
type Piece = readonly [style: Style, text: string];
type Field = string | number | Painted;

/** One line in our own colours. Its fields have been made printable, so none can act on a terminal or forge a line. */
export class Painted {
  private constructor(private readonly pieces: readonly Piece[]) {}

  static of(style: Style, field: Field): Painted {
    return new Painted(Painted.#piecesOf(field).map(([, text]) => [style, text]));
  }

  static join(literals: readonly string[], fields: readonly Field[]): Painted {
    const pieces = literals.flatMap((text, at): Piece[] => [["plain", text], ...Painted.#piecesOf(fields[at] ?? "")]);
    return new Painted(pieces);
  }

  /** length in characters */
  get length(): number {
    return this.pieces.reduce((length, [, text]) => length + [...text].length, 0);
  }

  /** Renders at most `columns` characters of the line. */
  render({ coloured, columns }: { readonly coloured: boolean; readonly columns: number }): string {
    const whole = this.length;
    let room = whole <= columns ? whole : columns - 1;
    const shown = this.pieces.map(([style, text]) => {
      const start = [...text].slice(0, room);
      room -= start.length;
      return coloured && start.length > 0 ? styles[style](start.join("")) : start.join("");
    });
    return `${shown.join("")}${whole <= columns ? "" : "…"}`;
  }

  static #piecesOf(field: Field): readonly Piece[] {
    return field instanceof Painted ? field.pieces : [["plain", cleaned(field)]];
  }
}

function cleaned(field: string | number): string {
  return oneLine(String(field), longestField);
}

/** A line of ours with fields from anybody: line`${id} done`. */
export function line(literals: TemplateStringsArray, ...fields: readonly Field[]): Painted {
  return Painted.join(literals, fields);
}

/** A row of a table; columns from `firstNumber` on are aligned to the right. */
export function row(cells: readonly string[], widths: readonly number[], firstNumber = cells.length): Painted {
  const literals = cells.map((cell, at) => {
    const text = cleaned(cell);
    const width = widths[at] ?? 0;
    return `${at === 0 ? "" : "  "}${at < firstNumber ? text.padEnd(width) : text.padStart(width)}`;
  });
  return Painted.join([literals.join("").trimEnd()], []);
}

export const bold = (field: Field): Painted => Painted.of("bold", field);
export const dim = (field: Field): Painted => Painted.of("dim", field);
export const green = (field: Field): Painted => Painted.of("green", field);
export const red = (field: Field): Painted => Painted.of("red", field);
