import { fieldDifferences } from "./field-differences.js";

/** One thing that contradicts the rest of the record. */
export interface Difference {
  /** in a person's words: `ledger of T-001` */
  readonly what: string;
  /** file, line and field, or the commit */
  readonly where: string;
  readonly expected: string;
  readonly seen: string;
}

const mostOfOneThing = 20;

/** The results of a verification so far. */
export class Findings {
  /** one sentence for each comparison made */
  readonly compared: string[] = [];
  /** facts a reader of the result has to know that are no difference */
  readonly remarks: string[] = [];
  readonly differs: Difference[] = [];

  differ(difference: Difference): void {
    this.differs.push(difference);
  }

  /** Adds one difference for each field that differs. */
  hold(what: string, where: string, { expected, seen }: { readonly expected: unknown; readonly seen: unknown }): void {
    const fields = fieldDifferences(expected, seen);
    for (const { field, expected: wanted, seen: found } of fields.slice(0, mostOfOneThing))
      this.differ({ what, where: field === "" ? where : `${where}, ${field}`, expected: wanted, seen: found });
    if (fields.length > mostOfOneThing)
      this.differ({ what, where, expected: "no more", seen: `${fields.length - mostOfOneThing} more like these` });
  }
}

/** Absence in words, for `expected` and `seen`. */
export const absent = "nothing";
