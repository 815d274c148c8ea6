import { type Occurrence, Occurrences, type OpenSpan } from "./open-span.js";

/** The failed attempts of a model that has not answered yet: they belong to its answer, and without one to what is around. */
export class WaitingRetries {
  #waiting: { readonly place: OpenSpan; readonly all: Occurrences } | null = null;

  add(occurrence: Occurrence, place: OpenSpan): void {
    if (this.#waiting?.place !== place) this.leave();
    this.#waiting ??= { place, all: new Occurrences() };
    this.#waiting.all.add(occurrence);
  }

  /** The span of a model's call reaches over all its attempts. */
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
