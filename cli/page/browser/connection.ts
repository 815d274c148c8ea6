import { el } from "./dom.js";

export type Connection = "live" | "lost" | "ended" | "gone";

const says: Readonly<Record<Connection, string>> = {
  live: "live",
  lost: "connection lost, trying again",
  ended: "the server has ended",
  gone: "the session is gone",
};

/** Whether what a live page shows still follows what happens. */
export class ConnectionBadge {
  readonly element = el("span", { class: "badge plain connection", role: "status" });

  tell(state: Connection): void {
    this.element.textContent = says[state];
    this.element.classList.toggle("bad", state !== "live");
  }
}

/** A stream that the browser opens again by itself when it was cut off. */
export function watchConnection(stream: EventSource, tell: (state: Connection) => void): void {
  stream.addEventListener("open", () => tell("live"));
  stream.addEventListener("error", () => tell(stream.readyState === EventSource.CLOSED ? "ended" : "lost"));
}
