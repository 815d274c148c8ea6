import { z } from "zod";

const count = z.number().int().nonnegative();

const diskFull = z.object({
  what: z.enum(["space", "files", "share"]),
  stopped: z.boolean(),
  free: count,
  largest: z.array(z.object({ path: z.string(), bytes: count })),
  removed: z.array(z.string()),
});

/** The resident's replies, with one schema for each kind. */
export const listenReply = z.object({ port: z.int().min(1).max(65_535) });

export const execReply = z.object({
  exit: z.number().int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  head: count,
  tail: count,
  omitted: count,
  killed: z.array(z.string()),
  full: diskFull.nullable(),
  ms: z.number(),
});

export const streamReply = execReply
  .omit({ head: true, tail: true, omitted: true, full: true })
  .extend({ stderr: z.string() });

const withheld = z.object({ paths: z.array(z.string()), count });

export const readReply = z.object({
  size: count,
  first_line: count,
  last_line: count,
  truncated: z.boolean(),
  withheld,
});

export const editedReply = z.object({
  bytes: count,
  path: z.string(),
  lint: z.string().nullable(),
  lint_ms: z.number(),
});

export const globReply = z.object({ paths: z.array(z.string()), truncated: z.boolean(), withheld });
export const grepReply = z.object({ lines: z.array(z.string()), truncated: z.boolean(), withheld });
