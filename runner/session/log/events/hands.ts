import { z } from "zod";
import { count, event, maybeInTask, ms } from "./fields.js";

const endedAsleep = z
  .literal(true)
  .optional()
  .describe("present where it ended by itself because this process was stopped, or its machine slept");

/** Containers lost and replaced, and connections of their programs. */
export const handsEvents = {
  hands_lost: event("A container was lost.", {
    ...maybeInTask,
    role: z.string(),
    during: z.string().nullable(),
    detail: z.string(),
    asleep: endedAsleep,
  }),
  hands_restarted: event("A new container replaced the lost one.", {
    ...maybeInTask,
    role: z.string(),
    asleep: endedAsleep,
  }),
  egress: event("A program of the worker asked to be connected to a host, and this is what came of it.", {
    ...maybeInTask,
    host: z.string(),
    port: count,
    allowed: z.boolean(),
    refusal: z
      .enum(["not_allowed", "private_address", "not_found", "not_reached", "too_many"])
      .nullable()
      .describe("why there was no connection"),
    bytes_out: count,
    bytes_in: count,
    ms,
  }),
};
