import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { linesFrom } from "../../runner/session/log/follow-log.js";
import { harmlessJson, harmlessLine } from "./harmless.js";
import type { Mask } from "./page.js";

const lookAgainMs = 250;
const factsMs = 1_000;
const pingMs = 15_000;

/** A value that a stream sends besides the log, again whenever it has changed; null once there is no more of it. */
export interface SideValue {
  readonly name: string;
  readonly value: () => object | null;
}

/** Sends events to one reader, and reads no more from the disk than the reader has taken. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #mask: Mask;
  readonly #signal: AbortSignal;
  #said = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  #sentAt = performance.now();

  /** `signal` aborts when the reader has gone or the server ends. */
  constructor(response: ServerResponse, mask: Mask, signal: AbortSignal) {
    this.#response = response;
    this.#mask = mask;
    this.#signal = signal;
  }

  /** Goes on until the reader leaves, or the told value is null. */
  async tell(told: SideValue, log: { readonly path: string; readonly from: number } | null): Promise<void> {
    for (let at = log?.from ?? 0; await this.#tellFacts(told); ) {
      const { lines, end } = log === null ? { lines: [], end: 0 } : await linesFrom(log.path, at);
      if (lines.length > 0) await this.#send(messageOf(lines.map(this.#mask), end));
      else await this.#rest();
      at = end;
    }
    await this.#send("event: gone\ndata:\n\n");
  }

  async #tellFacts({ name, value }: SideValue): Promise<boolean> {
    if (performance.now() - this.#lookedAt < factsMs) return true;
    const facts = value();
    this.#lookedAt = performance.now();
    if (facts === null) return false;
    const text = harmlessJson(this.#mask(JSON.stringify(facts)));
    if (text !== this.#said) await this.#send(`event: ${name}\ndata: ${text}\n\n`);
    this.#said = text;
    return true;
  }

  async #rest(): Promise<void> {
    if (performance.now() - this.#sentAt > pingMs) await this.#send(": still here\n\n");
    await wait(lookAgainMs, undefined, { signal: this.#signal });
  }

  async #send(text: string): Promise<void> {
    this.#signal.throwIfAborted();
    this.#sentAt = performance.now();
    if (!this.#response.write(text)) await once(this.#response, "drain", { signal: this.#signal });
  }
}

function messageOf(lines: readonly string[], end: number): string {
  return `id: ${end}\n${lines.map((line) => `data: ${harmlessLine(line)}\n`).join("")}\n`;
}
