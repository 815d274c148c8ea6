import type { z } from "zod";
import type { CallOptions, Sandbox } from "../ports/sandbox.js";

/** One of `operations`. */
export interface Operation<Args, Reply> {
  readonly op: string;
  readonly args: z.ZodType<Args>;
  readonly reply: z.ZodType<Reply>;
}

/**
 * Makes one call. Nothing in a reply is believed before it fits the description. The arguments must fit it too, or it is
 * a bug: the resident takes them as they come.
 */
export async function perform<Args extends Readonly<Record<string, unknown>>, Reply>(
  sandbox: Pick<Sandbox, "call">,
  { op, args, reply }: Operation<Args, Reply>,
  given: NoInfer<Args>,
  options: CallOptions,
): Promise<Reply> {
  return reply.parse(await sandbox.call(op, args.parse(given), options));
}
