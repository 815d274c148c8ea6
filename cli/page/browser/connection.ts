import { el } from "./elements/dom.js";

export type Connection = "live" | "lost" | "ended" | "gone";

const says: Readonly<Record<Connection, string>> = {
  live: "live",
  lost: "connection lost, trying again",
  ended: "the server has ended",
  gone: "the session is gone",
};

/** Shows if a live page still follows its session. */
export class ConnectionBadge {
  readonly element = el("span", { class: "badge plain connection", role: "status" });

  tell(state: Connection): void {
    this.element.textContent = says[state];
    this.element.classList.toggle("bad", state !== "live");
  }
}

/** Follows the state of a stream that the browser reopens by itself after an interruption. */
export function watchConnection(stream: EventSource, tell: (state: Connection) => void): void {
  stream.addEventListener("open", () => tell("live"));
  stream.addEventListener("error", () => tell(stream.readyState === EventSource.CLOSED ? "ended" : "lost"));
}
