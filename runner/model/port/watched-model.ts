import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "./model-client.js";

/** Any model, with somebody who looks on as its streamed replies come in. */
export class WatchedModel implements ModelClient {
  readonly #model: ModelClient;
  readonly #onProgress: (chars: number) => void;

  constructor(model: ModelClient, onProgress: (chars: number) => void) {
    this.#model = model;
    this.#onProgress = onProgress;
  }

  complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    return this.#model.complete(request, { ...options, onProgress: this.#onProgress });
  }
}
