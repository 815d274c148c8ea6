import { z } from "zod";
import { shape } from "./shape.js";

/** The kinds of frames. `u32be length of the rest · u8 kind · u32be call id · payload` is a frame. */
export const kinds = {
  call: 1,
  data: 2,
  end: 3,
  cancel: 4,
  ping: 5,
  hello: 16,
  result: 17,
  output: 18,
  pong: 19,
  // kinds of a stream, the same both ways
  open: 32,
  bytes: 33,
  credit: 34,
  finish: 35,
  abandon: 36,
} as const;

/** Numbers that both sides must have alike. */
export const sizes = {
  /** kind, call id and payload of the longest frame */
  frame: 1024 * 1024,
  /** bytes under way on one stream, each way */
  window: 256 * 1024,
} as const;

/** The first thing that the brain sends; a provider may have put bytes of its own before it. */
export const magicLine = "TILTH/1\n";

/** The resident's first frame. */
export const hello = shape("Hello", { protocol: z.literal(1), pid: z.int(), python: z.string() });
export type Hello = Readonly<z.infer<typeof hello>>;

/** The fields of a call beside its operation's own. */
export const callHead = shape("CallHead", { op: z.string() });
export type CallHead = Readonly<z.infer<typeof callHead>>;

/** Everything that an operation can be refused for. */
const refusalCode = z.enum(["usage", "tool", "io", "busy", "cancelled", "zygote_lost"]).meta({ id: "RefusalCode" });
export type RefusalCode = z.infer<typeof refusalCode>;

/** The fields of a result beside its operation's own. `swept`: nothing that the call has started is alive. */
export const done = shape("Done", { ok: z.literal(true), swept: z.boolean() });
export const refused = shape("Refused", {
  ok: z.literal(false),
  code: refusalCode,
  message: z.string(),
  swept: z.boolean(),
});
