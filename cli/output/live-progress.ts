import type { SharedEndpoint } from "../../runner/index.js";
import type { Retry } from "../../runner/model/port/model-client.js";
import { counted } from "../../runner/text/counted.js";
import { oneLine } from "../../runner/text/sanitise.js";
import type { Output } from "./output.js";
import { dim, line } from "./painted.js";

/** after so much silence a person begins to wonder */
const quietMs = 10_000;
const steps: Readonly<Record<number, string>> = {
  1: "a question to be looked up",
  2: "its reply goes back with what it asked for",
};

/** Shows progress while models are asked for real, until it is disposed. */
export class LiveProgress implements Disposable {
  readonly #output: Output;
  #waiting: NodeJS.Timeout | undefined;

  constructor(output: Output, models: readonly SharedEndpoint[]) {
    this.#output = output;
    const of = models.length === 1 ? "" : ` for each of ${counted(models.length, "model")}`;
    output.say(`asking for real now: this spends a few thousand tokens${of}`);
  }

  readonly asking = ({ roles, endpoint }: SharedEndpoint, request: number): void => {
    clearInterval(this.#waiting);
    const who = roles.join(", ");
    this.#output.say(line`${who} (${endpoint.model}), request ${request}: ${steps[request] ?? "and on to its answer"}`);
    let waitedMs = 0;
    this.#waiting = setInterval(() => {
      waitedMs += quietMs;
      this.#output.say(dim(line`  no reply yet after ${waitedMs / 1000} s; it is waited for`));
    }, quietMs).unref();
  };

  readonly retrying = ({ reason, waitMs }: Retry): void => {
    this.#output.say(line`  model: ${oneLine(reason, 100)}; again in ${(waitMs / 1000).toFixed(1)} s`);
  };

  [Symbol.dispose](): void {
    clearInterval(this.#waiting);
  }
}
