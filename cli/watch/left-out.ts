import type { Payload } from "../../runner/session/events.js";
import { firstLine } from "./about-call.js";

/** What became of a parameter that an endpoint refused, on one line. */
export function aboutLeftOut({ parameter, sent_instead, reason }: Payload<"parameter_left_out">): string {
  const then = sent_instead === null ? "it is left out" : `${sent_instead} is sent`;
  return `${firstLine(parameter)} was refused, ${then} from now on (${firstLine(reason)})`;
}
