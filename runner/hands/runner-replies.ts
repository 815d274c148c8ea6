import { z } from "zod";

const count = z.number().int().nonnegative();

/** What the runner answers, operation by operation. */
export const execReply = z.object({
  exit: z.number().int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  head: count,
  tail: count,
  omitted: count,
  killed: z.array(z.string()),
  ms: z.number(),
});

export const streamReply = execReply.omit({ head: true, tail: true, omitted: true }).extend({ stderr: z.string() });

export const readReply = z.object({ size: count, first_line: count, last_line: count, truncated: z.boolean() });

export const editedReply = z.object({
  bytes: count,
  path: z.string(),
  lint: z.string().nullable(),
  lint_ms: z.number(),
});

export const globReply = z.object({ paths: z.array(z.string()), truncated: z.boolean() });
export const grepReply = z.object({ lines: z.array(z.string()), truncated: z.boolean() });
