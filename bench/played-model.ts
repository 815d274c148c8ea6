import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { completionOf } from "../runner/demo/completion.js";
import { type ScriptedRole, type SpokenTurn, scriptedEndpoints, scriptedModels } from "../runner/demo/script/script.js";
import type { Endpoints } from "../runner/settings/endpoints.js";

export interface ReceivedRequest {
  readonly role: ScriptedRole;
  /** the number of requests of this role that came before */
  readonly index: number;
  readonly arrivedAt: number;
  /** when the whole answer was sent; 0 before that */
  answeredAt: number;
}

export interface Play {
  readonly turn: (asked: ReceivedRequest) => SpokenTurn | Promise<SpokenTurn>;
  /** the time a model takes to answer; containers that start meanwhile cost nothing */
  readonly thinkMs?: number;
}

/** An endpoint on the loopback that answers by a rule and keeps the time of every request and answer. */
export class PlayedModel implements AsyncDisposable {
  readonly asked: ReceivedRequest[] = [];
  readonly #server: Server;
  #ids = 0;

  private constructor(play: Play) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        const arrivedAt = performance.now();
        const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Body;
        const asked = this.#record(body, arrivedAt);
        if (play.thinkMs !== undefined) await sleep(play.thinkMs);
        const text = JSON.stringify(completionOf(await play.turn(asked), body.model, () => ++this.#ids));
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
        response.end(text, () => {
          asked.answeredAt = performance.now();
        });
      });
    });
    this.#server.keepAliveTimeout = 0;
  }

  static async start(play: Play): Promise<PlayedModel> {
    const model = new PlayedModel(play);
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get endpoints(): Endpoints {
    return scriptedEndpoints(this.baseUrl, null);
  }

  of(role: ScriptedRole): readonly ReceivedRequest[] {
    return this.asked.filter((each) => each.role === role);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #record({ model, tools }: Body, arrivedAt: number): ReceivedRequest {
    const withoutTools = tools === undefined || tools.length === 0;
    const role = model === scriptedModels.evaluator ? "evaluator" : withoutTools ? "self_improve" : "worker";
    const asked: ReceivedRequest = { role, index: this.of(role).length, arrivedAt, answeredAt: 0 };
    this.asked.push(asked);
    return asked;
  }
}

interface Body {
  readonly model: string;
  readonly tools?: readonly unknown[];
}
