import type { Payload } from "../../runner/session/log/events.js";
import { localTime } from "../../runner/text/local-time.js";

/** for a shorter wait nobody looks at the clock */
const longWaitMs = 10_000;

/** Says when a wait ends, by local time; the time comes first, because a narrow terminal cuts lines off. */
export function aboutLimitWait({ until, wait_ms }: Pick<Payload<"limit_wait">, "until" | "wait_ms">): string {
  return `waiting until ${endOf(new Date(until), wait_ms)} for the model's limit`;
}

/** Says how long until an endpoint is asked again, and for a longer wait also when. */
export function againIn(seconds: string, { ts, wait_ms }: { ts: string; wait_ms: number }): string {
  if (wait_ms < longWaitMs) return `again in ${seconds} s`;
  return `again in ${seconds} s, at ${endOf(new Date(Date.parse(ts) + wait_ms), wait_ms)}`;
}

/** Adds the date if the wait ends on another day. */
function endOf(end: Date, wait_ms: number): string {
  const [day, time = ""] = localTime(end).split(" ");
  const [today] = localTime(new Date(end.getTime() - wait_ms)).split(" ");
  return day === today ? time : localTime(end);
}
