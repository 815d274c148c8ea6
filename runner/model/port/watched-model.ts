import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "./model-client.js";

/** Any model, with an observer of its streamed replies as they come in. */
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
