import type { Payload } from "../../runner/session/events.js";
import { localTime } from "../../runner/text/local-time.js";

/** a person does not look at the clock for a shorter one */
const longWaitMs = 10_000;

/** The end of a wait by the clock on the wall; it comes first, for a narrow terminal cuts lines off. */
export function aboutLimitWait({ until, wait_ms }: Pick<Payload<"limit_wait">, "until" | "wait_ms">): string {
  return `waiting until ${endOf(new Date(until), wait_ms)} for the model's limit`;
}

/** How long until an endpoint is asked again, and when that is where it takes a while. */
export function againIn(seconds: string, { ts, wait_ms }: { ts: string; wait_ms: number }): string {
  if (wait_ms < longWaitMs) return `again in ${seconds} s`;
  return `again in ${seconds} s, at ${endOf(new Date(Date.parse(ts) + wait_ms), wait_ms)}`;
}

/** With its date where that is another day. */
function endOf(end: Date, wait_ms: number): string {
  const [day, time = ""] = localTime(end).split(" ");
  const [today] = localTime(new Date(end.getTime() - wait_ms)).split(" ");
  return day === today ? time : localTime(end);
}
