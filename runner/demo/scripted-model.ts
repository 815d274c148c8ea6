import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { completionOf } from "./completion.js";
import {
  type PlainTurn,
  type Script,
  type ScriptedRequest,
  type ScriptedRole,
  scriptedModels,
  turnFor,
} from "./script/script.js";

const dripMs = 20;

/** An OpenAI-compatible endpoint on the loopback that plays a script and records every request. */
export class ScriptedModel implements AsyncDisposable {
  readonly requests: ScriptedRequest[] = [];
  readonly #server: Server;
  readonly #script: Script;
  #ids = 0;

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // a kept connection that closes just as it is used again would be a fault that no script asked for
    this.#server.keepAliveTimeout = 0;
  }

  static async start(script: Script): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
  }

  of(role: ScriptedRole): readonly ScriptedRequest[] {
    return this.requests.filter((request) => request.role === role);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await bodyOf(request);
      if (request.method === "GET" && request.url?.endsWith("/models")) return send(response, 200, modelList());
      if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
        return send(response, 404, { error: { message: `no such path: ${request.url}` } });
      }
      const asked = this.#record(JSON.parse(text), request.headers);
      this.#play(turnFor(this.#script, asked), asked, response);
    } catch (error) {
      if (!response.headersSent) send(response, 400, { error: { message: `the script failed: ${String(error)}` } });
      else response.destroy();
    }
  }

  #record(body: Record<string, unknown>, headers: IncomingHttpHeaders): ScriptedRequest {
    const model = String(body.model);
    const tools = namesOf(body.tools);
    const role = roleOf(model, tools);
    const index = this.of(role).length;
    const messages = (body.messages ?? []) as ScriptedRequest["messages"];
    const authorization = headers.authorization ?? null;
    const request = { role, index, model, messages, tools, authorization, headers, body };
    this.requests.push(request);
    return request;
  }

  #play(turn: PlainTurn, request: ScriptedRequest, response: ServerResponse): void {
    if ("hang" in turn) return;
    if ("drop" in turn) drop(turn.drop, response);
    else if ("raw" in turn) sendRaw(turn, response.socket);
    else if ("drip" in turn) drip(turn.drip, response.socket);
    else if ("status" in turn) send(response, turn.status, turn.body ?? fault(turn.status), turn.headers);
    else
      send(
        response,
        200,
        completionOf(turn, request.model, () => ++this.#ids),
      );
  }
}

/** Self-improve is the worker's model asked one question without tools. */
function roleOf(model: string, tools: readonly string[]): ScriptedRole {
  if (model === scriptedModels.evaluator) return "evaluator";
  if (model === scriptedModels.interviewer) return "interviewer";
  return tools.length > 0 ? "worker" : "self_improve";
}

function namesOf(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool: { function?: { name?: unknown } }) => String(tool.function?.name));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { "content-type": "application/json", "content-length": length, ...headers });
  response.end(text);
}

function drop(when: "at once" | "half way", response: ServerResponse): void {
  if (when === "at once") {
    response.socket?.destroy();
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"choices": [', () => response.socket?.destroy());
}

function sendRaw({ raw, after }: Extract<PlainTurn, { raw: unknown }>, socket: Socket | null): void {
  socket?.write(raw, () => {
    if (after === "end") socket.end();
    if (after === "reset") socket.resetAndDestroy();
  });
}

function drip(text: string, socket: Socket | null): void {
  let sent = 0;
  const timer = setInterval(() => socket?.write(text.charAt(sent++)), dripMs);
  socket?.once("close", () => clearInterval(timer));
}

function fault(status: number): unknown {
  return { error: { message: `scripted fault ${status}`, code: status } };
}

function modelList(): unknown {
  return { object: "list", data: Object.values(scriptedModels).map((id) => ({ id, object: "model" })) };
}
