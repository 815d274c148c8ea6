import type { SessionId } from "../../runner/base/ids.js";
import type { Output } from "./output.js";

interface Prepared {
  readonly id: SessionId;
  /** only the added tasks, if there were some before */
  readonly tasks: number;
  readonly added?: boolean;
}

/** Says that a session is prepared, and the command that runs it. */
export function sayPrepared(output: Output, { id, tasks, added = false }: Prepared): void {
  const counted = `${tasks} ${added ? "more " : ""}task${tasks === 1 ? "" : "s"}`;
  output.print(`session ${id} is prepared: ${counted}`);
  output.print(`run it: tilth run --sandbox --session ${id}`);
}
