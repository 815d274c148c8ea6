import type { Payload } from "../../runner/session/log/events.js";
import { oneLine } from "../../runner/text/sanitise.js";
import type { Output } from "./output.js";
import { bold, line } from "./painted.js";

/** Says the plan of a resumed session, and what had to be repaired first. */
export function sayPlan(output: Output, resumed: Payload<"session_resume">): void {
  const { last_stop, reconciled, plan, image, image_before } = resumed;
  output.say(bold(line`continuing; the last run ${last_stop === null ? "was cut short" : `stopped: ${last_stop}`}`));
  for (const task of plan) output.say(line`  ${oneLine(task, 100)}`);
  for (const mended of reconciled) output.say(line`  repaired: ${oneLine(mended, 100)}`);
  if (image_before !== null && image_before !== image)
    output.say(line`  the hands image has changed: now ${image}, before ${image_before}`);
}
