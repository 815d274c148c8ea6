import { ProtocolError } from "./frames.js";
import { parseJson } from "./pending-call.js";
import { type Hello, hello } from "./wire/protocol.js";

/** The resident's hello, which comes once. */
export class Greeting {
  /** null until it has come */
  hello: Hello | null = null;
  readonly #heard: Promise<Hello>;
  #resolve: (hello: Hello) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor() {
    this.#heard = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#heard.catch(() => {});
  }

  /** Settles when it has come, or never will. */
  heard(): Promise<Hello> {
    return this.#heard;
  }

  take(payload: Uint8Array): void {
    const parsed = hello.safeParse(parseJson(payload));
    if (!parsed.success || this.hello !== null) throw new ProtocolError("a hello that is none");
    this.hello = parsed.data;
    this.#resolve(parsed.data);
  }

  refuse(reason: unknown): void {
    this.#reject(reason);
  }
}
