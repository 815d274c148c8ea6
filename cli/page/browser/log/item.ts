import type { Kind } from "./kinds.js";
import type { Fields } from "./read.js";

export interface LoggedEvent {
  /** null if the line has no valid number */
  readonly seq: number | null;
  readonly at: number;
  readonly type: string;
  readonly payload: Fields;
}

/** A run of consecutive events of one task, or of none. */
export interface Group {
  readonly index: number;
  readonly task: string | null;
  readonly prepared: boolean;
  /** index of its first item */
  readonly from: number;
}

/** One block of the conversation: an event with those that complete it. */
export interface Item {
  readonly index: number;
  readonly kind: Kind;
  readonly group: Group;
  /** indexes of its lines in the log */
  readonly lines: number[];
  readonly anchor: string;
}
