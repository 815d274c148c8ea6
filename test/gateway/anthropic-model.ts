import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type PlainTurn,
  type Script,
  type ScriptedRequest,
  scriptedModels,
  turnFor,
} from "../../runner/demo/script/script.js";
import { replyOf } from "./anthropic-reply.js";
import { type AnthropicRequest, anthropicRequest, asChat, scriptedName } from "./anthropic-request.js";
import { refusalOf, type Strictness } from "./anthropic-rules.js";
import { eventsOf } from "./anthropic-stream.js";
import { Signatures } from "./signatures.js";

/** Anthropic's Messages interface on the loopback: plays the scripts of chat completions, and refuses as the real one does. */
export class AnthropicModel implements AsyncDisposable {
  /** every request that came, refused or not, the latest last */
  readonly requests: AnthropicRequest[] = [];
  readonly refusals: string[] = [];
  readonly signatures = new Signatures();
  readonly #server: Server;
  readonly #script: Script;
  readonly #strictness: Strictness;
  readonly #asked = new Map<string, number>();

  private constructor(script: Script, strictness: Strictness) {
    this.#script = script;
    this.#strictness = strictness;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 0;
  }

  static async start(script: Script, strictness: Strictness): Promise<AnthropicModel> {
    const model = new AnthropicModel(script, strictness);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      if (incoming.method !== "POST" || incoming.url?.split("?")[0] !== "/v1/messages")
        return send(response, 404, fault("not_found_error", `no such path: ${incoming.url}`));
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const request = anthropicRequest.parse(body);
      this.requests.push(request);
      const refusal = refusalOf(request, this.signatures, this.#strictness);
      if (refusal !== null) {
        this.refusals.push(refusal);
        return send(response, 400, fault("invalid_request_error", refusal));
      }
      this.#play(turnFor(this.#script, scripted(request, incoming, this.#asked)), request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else send(response, 400, fault("invalid_request_error", `the script failed: ${String(error)}`));
    }
  }

  #play(turn: PlainTurn, request: AnthropicRequest, response: ServerResponse): void {
    if ("hang" in turn) return;
    if ("raw" in turn || "drip" in turn) throw new Error("answers byte by byte are none of this interface");
    if ("drop" in turn) drop(turn.drop, response);
    else if (!("status" in turn))
      reply(replyOf(turn, { request, signatures: this.signatures, nextId }), request, response);
    else if (turn.status === 200) reply(turn.body as Record<string, unknown>, request, response, turn.headers);
    else send(response, turn.status, turn.body ?? fault(kindOf(turn.status), "scripted fault"), turn.headers);
  }
}

function reply(
  said: Record<string, unknown>,
  request: AnthropicRequest,
  response: ServerResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (request.stream) {
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    response.end(eventsOf(said).join(""));
  } else send(response, 200, said, headers);
}

function scripted(
  request: AnthropicRequest,
  { headers }: IncomingMessage,
  asked: Map<string, number>,
): ScriptedRequest {
  const model = scriptedName(request.model);
  const tools = request.tools.map(({ name }) => name);
  const role = roleOf(model, tools.length > 0);
  const index = asked.get(role) ?? 0;
  asked.set(role, index + 1);
  const key = headers["x-api-key"];
  const authorization = typeof key === "string" ? key : null;
  return { role, index, model, messages: asChat(request), tools, authorization, headers, body: request };
}

function roleOf(model: string, hasTools: boolean): ScriptedRequest["role"] {
  if (model === scriptedModels.evaluator) return "evaluator";
  if (model === scriptedModels.interviewer) return "interviewer";
  return hasTools ? "worker" : "self_improve";
}

function nextId(): string {
  return `01${randomBytes(11).toString("hex")}`;
}

function kindOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "api_error";
}

function fault(type: string, message: string): unknown {
  return { type: "error", error: { type, message }, request_id: `req_${nextId()}` };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function drop(when: "at once" | "half way", response: ServerResponse): void {
  if (when === "at once") {
    response.socket?.destroy();
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"type": "mess', () => response.socket?.destroy());
}
