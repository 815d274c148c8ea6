import type { Kind } from "./kinds.js";
import type { Fields } from "./read.js";

export interface LoggedEvent {
  /** null where the log has no such number, or has had it before */
  readonly seq: number | null;
  readonly at: number;
  readonly type: string;
  readonly payload: Fields;
}

/** A run of events of one task, or of none. */
export interface Group {
  readonly index: number;
  readonly task: string | null;
  readonly prepared: boolean;
  /** index of its first item */
  readonly from: number;
}

/** What stands as one block of the conversation: an event with those that complete it. */
export interface Item {
  readonly index: number;
  readonly kind: Kind;
  readonly group: Group;
  /** places in the log */
  readonly lines: number[];
  readonly anchor: string;
}
