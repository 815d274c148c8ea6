import { z } from "zod";

const usdPerMillion = z.number().nonnegative().max(1e6);

const modelPrice = z.strictObject({
  input: usdPerMillion,
  cached: usdPerMillion.optional(),
  cache_write: usdPerMillion.optional(),
  output: usdPerMillion,
});

/** prices.json: a person's prices in US dollars per million tokens. tilth knows no price by itself. */
export const pricesSchema = z.strictObject({ v: z.literal(1), models: z.record(z.string(), modelPrice) });

/** Prices by the name of the model, as it is asked for or as it answers. */
export type Prices = z.infer<typeof pricesSchema>["models"];
