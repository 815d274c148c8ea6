import { type Occurrence, Occurrences, type OpenSpan } from "./open-span.js";

/**
 * Failed attempts of a model that has not answered yet. They become part of its answer's span, or of the surrounding
 * span if no answer comes.
 */
export class WaitingRetries {
  #waiting: { readonly place: OpenSpan; readonly all: Occurrences } | null = null;

  add(occurrence: Occurrence, place: OpenSpan): void {
    if (this.#waiting?.place !== place) this.leave();
    this.#waiting ??= { place, all: new Occurrences() };
    this.#waiting.all.add(occurrence);
  }

  /** Adds the attempts to a model call and makes its span cover them all. */
  joinTo(call: OpenSpan, place: OpenSpan): void {
    if (this.#waiting?.place !== place) return;
    const { all } = this.#waiting;
    for (const { atMs } of all.list.slice(0, 1)) call.cover(atMs);
    call.occurrences.addAll(all);
    this.#waiting = null;
  }

  leave(): void {
    this.#waiting?.place.occurrences.addAll(this.#waiting.all);
    this.#waiting = null;
  }
}
