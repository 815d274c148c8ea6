import type { SessionId } from "../../runner/base/ids.js";
import type { Output } from "./output.js";

interface Prepared {
  readonly id: SessionId;
  /** of those that were added, where some were there before */
  readonly tasks: number;
  readonly added?: boolean;
}

/** A session that waits to be run, and the one command to type. */
export function sayPrepared(output: Output, { id, tasks, added = false }: Prepared): void {
  const counted = `${tasks} ${added ? "more " : ""}task${tasks === 1 ? "" : "s"}`;
  output.print(`session ${id} is prepared: ${counted}`);
  output.print(`run it: tilth run --sandbox --session ${id}`);
}
