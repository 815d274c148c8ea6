import { z } from "zod";
import { count, shape } from "./shape.js";

/** Messages between the resident and that process, each after its length: a request comes with its input, and two
 * descriptors for its report and its output. */
export const zygoteMessages = {
  ready: shape("ZygoteReady", { ready: z.literal(true) }),
  header: shape("ZygoteHeader", { payload: z.unknown(), input_len: count }),
  end: shape("ZygoteEnd", { exit: z.int().nullable(), signal: z.int().nullable(), ms: z.number() }),
} as const;
