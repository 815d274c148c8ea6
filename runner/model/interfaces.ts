import type { Api } from "../base/apis.js";
import type { Masker } from "../text/mask.js";
import { encodeRequest, type RequestTarget } from "./chat/encode.js";
import { decodeReply } from "./chat/reply.js";
import type { ModelReply, ModelRequest } from "./port/model-client.js";
import { decodeResponse } from "./responses/decode.js";
import { encodeForResponses } from "./responses/encode.js";
import type { Assembly } from "./stream/assembly.js";
import { ChatAssembly } from "./stream/chat-assembly.js";
import { ResponseAssembly } from "./stream/response-assembly.js";
import type { ReplyContext } from "./wire/answer.js";
import type { Fields } from "./wire/fields.js";

/** A way to ask a model and read its answer. It knows nothing of attempts, faults or waiting. */
export interface Interface {
  readonly path: string;
  encode(request: ModelRequest, asked: RequestTarget, masker: Masker): Fields;
  /** fields that ask for a stream */
  readonly streamed: Fields;
  /** puts the events of a stream together into a text that `decode` reads */
  assembly(): Assembly;
  decode(text: string, headers: Headers, context: ReplyContext): Omit<ModelReply, "ms">;
}

export const interfaces: Readonly<Record<Api, Interface>> = {
  chat: {
    path: "/chat/completions",
    encode: encodeRequest,
    streamed: { stream: true, stream_options: { include_usage: true } },
    assembly: () => new ChatAssembly(),
    decode: decodeReply,
  },
  responses: {
    path: "/responses",
    encode: encodeForResponses,
    streamed: { stream: true },
    assembly: () => new ResponseAssembly(),
    decode: decodeResponse,
  },
};
