import { fieldDifferences } from "./field-differences.js";

/** One thing that is not what the rest of the record says it is. */
export interface Difference {
  /** in a person's words: `ledger of T-001` */
  readonly what: string;
  /** file, line and field, or the commit */
  readonly where: string;
  readonly expected: string;
  readonly seen: string;
}

const mostOfOneThing = 20;

/** What a verification has found so far. */
export class Findings {
  /** what was held against what, one sentence each */
  readonly compared: string[] = [];
  /** what a reader of the result has to know and that speaks neither way */
  readonly remarks: string[] = [];
  readonly differs: Difference[] = [];

  differ(difference: Difference): void {
    this.differs.push(difference);
  }

  /** One difference for each field in which the two are not the same. */
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
