import type { Prices } from "../../base/prices.js";
import type { Endpoints } from "../../settings/endpoints.js";
import type { CallOptions, ModelClient, ModelReply, ModelRequest, Usage } from "./model-client.js";

export interface Pricing {
  readonly endpoints: Endpoints;
  readonly prices: Prices;
}

/** Any model; computes the cost from the person's prices when the provider tells none. */
export class PricedModel implements ModelClient {
  readonly #model: ModelClient;
  readonly #pricing: Pricing;

  constructor(model: ModelClient, pricing: Pricing) {
    this.#model = model;
    this.#pricing = pricing;
  }

  async complete(request: ModelRequest, options: CallOptions): Promise<ModelReply> {
    const reply = await this.#model.complete(request, options);
    if (reply.cost !== null) return reply;
    const { endpoints, prices } = this.#pricing;
    const cost = costByPrices(prices, [reply.model, endpoints[request.role].model], reply.usage);
    return cost === null ? reply : { ...reply, cost, costFrom: "prices" };
  }
}

/** Uses the first name that has a price; returns null when none has. */
export function costByPrices(prices: Prices, names: readonly string[], usage: Usage): number | null {
  const name = names.find((one) => Object.hasOwn(prices, one));
  const price = name === undefined ? undefined : prices[name];
  if (price === undefined) return null;
  const { promptTokens, cachedTokens, cacheWriteTokens, evalTokens } = usage;
  const usdMillionths =
    (promptTokens - cachedTokens - cacheWriteTokens) * price.input +
    cachedTokens * (price.cached ?? price.input) +
    cacheWriteTokens * (price.cache_write ?? price.input) +
    // reasoning is part of the reply and of its price
    evalTokens * price.output;
  return usdMillionths / 1e6;
}
