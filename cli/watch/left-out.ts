import type { Payload } from "../../runner/session/log/events.js";
import { firstLine } from "./about-call.js";

/** Says on one line what happened to a parameter that an endpoint refused. */
export function aboutLeftOut({ parameter, sent_instead, reason }: Payload<"parameter_left_out">): string {
  const then = sent_instead === null ? "it is left out" : `${sent_instead} is sent`;
  return `${firstLine(parameter)} was refused, ${then} from now on (${firstLine(reason)})`;
}
