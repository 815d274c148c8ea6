import {
  lastTurn,
  type Script,
  type ScriptedRequest,
  type ScriptedRole,
  scriptedModels,
  type Turn,
} from "../../runner/demo/script/script.js";
import { ScriptedModel } from "../../runner/demo/scripted-model.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";
import { canaryKey, endpointsOf } from "../helpers/scripted-model.js";
import { StreamingFront } from "../helpers/streaming-front.js";
import type { Env } from "../helpers/tilth.js";
import { AnthropicModel } from "./anthropic-model.js";
import { claudes } from "./anthropic-request.js";
import { type GatewayModel, LiteLlm } from "./litellm.js";

/**
 * The upstreams. `anthropic` does not think; `thinking` must begin its last reply with its thinking; in `bound` the
 * thinking belongs to the conversation before it, as in Anthropic's newer models.
 */
export const dialects = ["openai", "anthropic", "thinking", "bound"] as const;
export type Dialect = (typeof dialects)[number];
export type Claude = Exclude<Dialect, "openai">;

/** the price of a token, in dollars */
export const prices = {
  input_cost_per_token: 3e-6,
  output_cost_per_token: 15e-6,
  cache_read_input_token_cost: 0.3e-6,
  cache_creation_input_token_cost: 3.75e-6,
};
const ways = {
  openai: {},
  anthropic: {},
  thinking: { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 8192 },
  bound: { thinking: { type: "adaptive" }, max_tokens: 8192 },
};

/** The gateway between tilth and stand-ins of both dialects, which play any script they are given. */
export class GatewayStage implements AsyncDisposable {
  private constructor(
    readonly gateway: LiteLlm,
    readonly programme: Programme,
    readonly openai: ScriptedModel,
    readonly streaming: StreamingFront,
    readonly claudes: Readonly<Record<Claude, AnthropicModel>>,
  ) {}

  static async open(): Promise<GatewayStage> {
    const programme = new Programme();
    const openai = await ScriptedModel.start(programme.script);
    const streaming = await StreamingFront.start(openai.baseUrl);
    const claudes = {
      anthropic: await AnthropicModel.start(programme.script, { binds: false }),
      thinking: await AnthropicModel.start(programme.script, { binds: false }),
      bound: await AnthropicModel.start(programme.script, { binds: true }),
    };
    try {
      const gateway = await LiteLlm.start(modelsOf({ openai: streaming, ...claudes }), canaryKey);
      return new GatewayStage(gateway, programme, openai, streaming, claudes);
    } catch (error) {
      for (const upstream of [streaming, openai, ...Object.values(claudes)]) await upstream[Symbol.asyncDispose]();
      throw error;
    }
  }

  endpoints(dialect: Dialect): Endpoints {
    const at = (model: string) => ({ ...endpointsOf(this.gateway.baseUrl).worker, model });
    const worker = at(`${dialect}-worker`);
    return { worker, evaluator: at(`${dialect}-evaluator`), interviewer: worker };
  }

  env(dialect: Dialect): Env {
    const { worker, evaluator } = this.endpoints(dialect);
    return {
      TILTH_BASE_URL: worker.baseUrl,
      TILTH_API_KEY: canaryKey,
      TILTH_WORKER_MODEL: worker.model,
      TILTH_EVALUATOR_MODEL: evaluator.model,
    };
  }

  /** The messages of the last request that came through. */
  lastMessages(dialect: Dialect): readonly unknown[] {
    const requests = dialect === "openai" ? this.openai.requests : this.claudes[dialect].requests;
    return requests.at(-1)?.messages ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    for (const upstream of [this.streaming, this.openai, ...Object.values(this.claudes)])
      await upstream[Symbol.asyncDispose]();
  }
}

/** The upstreams run as long as the gateway; the script they play changes. */
class Programme {
  #on: Script = {};
  readonly script: Script = {
    worker: (request) => this.#rule("worker")(request),
    evaluator: (request) => this.#rule("evaluator")(request),
    self_improve: (request) => this.#rule("self_improve")(request),
  };

  /** Plays the turns one after the other, and then the turn for a script that has run out. */
  turns(...turns: readonly Turn[]): void {
    const left = [...turns];
    this.#on = { worker: () => left.shift() ?? lastTurn.worker };
  }

  play(script: Script): void {
    this.#on = script;
  }

  #rule(role: ScriptedRole): (request: ScriptedRequest) => Turn {
    const rule = this.#on[role];
    return typeof rule === "function" ? rule : (request) => rule?.[request.index] ?? lastTurn[role];
  }
}

function modelsOf(upstreams: Readonly<Record<Dialect, { readonly baseUrl: string }>>): GatewayModel[] {
  return dialects.flatMap((dialect) =>
    (["worker", "evaluator"] as const).map((role) => ({
      name: `${dialect}-${role}`,
      upstream: upstreamOf(dialect, role),
      apiBase: upstreams[dialect].baseUrl,
      more: { ...prices, ...ways[dialect] },
    })),
  );
}

function upstreamOf(dialect: Dialect, role: "worker" | "evaluator"): string {
  if (dialect === "openai") return `openai/${scriptedModels[role]}`;
  return `anthropic/${claudes[dialect === "bound" ? "bound" : "told"][role]}`;
}
