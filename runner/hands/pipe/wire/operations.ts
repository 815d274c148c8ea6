import { z } from "zod";
import { listOf } from "../../../text/bounded-json.js";
import { count, givenTexts, shape, texts } from "./shape.js";

const variables = z.record(z.string(), z.string()).readonly();

/** Where and how a program runs. `disk_bytes`: the most that the worktree may take on the disk; 0 for any size. */
const program = {
  argv: givenTexts,
  cwd: z.string(),
  env: variables,
  timeout_ms: z.number(),
  stdin: z.boolean(),
  disk_bytes: count,
};

const fullDisk = shape("FullDisk", {
  what: z.enum(["space", "files", "share"]).meta({ id: "FullWhat" }),
  stopped: z.boolean(),
  free: count,
  largest: z.array(shape("LargeFile", { path: z.string(), bytes: count })),
  removed: texts,
});

/** The part of a reply that is the same for every program. */
export const commandEnd = shape("CommandEnd", {
  exit: z.int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  killed: texts,
  ms: z.number(),
  full: fullDisk.nullable(),
});

const withhold = shape("Withhold", { like: z.string(), shown: givenTexts }).nullable();
const withheld = shape("WithheldFiles", { paths: texts, count });
const lint = shape("Lint", { argv: givenTexts, timeout_ms: z.number() }).nullable();
const written = shape("WriteReply", {
  bytes: count,
  path: z.string(),
  lint: z.string().nullable(),
  lint_ms: z.number(),
});
const nothing = shape("Nothing", {});

/** Everything that can be asked of the resident. An operation that goes by two names here has two kinds of replies. */
export const operations = {
  /** runs a program, and keeps both ends of its output */
  exec: {
    op: "exec",
    args: shape("ExecArgs", { ...program, output: z.literal("merged"), head: count, tail: count }),
    reply: shape("ExecReply", { ...commandEnd.shape, head: count, tail: count, omitted: count }),
  },
  /** runs a program, and streams its standard output */
  stream: {
    op: "exec",
    args: shape("StreamArgs", { ...program, output: z.literal("stream") }),
    reply: shape("StreamReply", { ...commandEnd.shape, stderr: z.string() }),
  },
  quiet: { op: "quiet", args: nothing, reply: nothing },
  read: {
    op: "read",
    args: shape("ReadArgs", {
      path: z.string(),
      offset: z.number().nullable(),
      limit: z.number().nullable(),
      max_bytes: count,
      withhold,
    }),
    reply: shape("ReadReply", { size: count, first_line: count, last_line: count, truncated: z.boolean(), withheld }),
  },
  write: { op: "write", args: shape("WriteArgs", { path: z.string(), lint }), reply: written },
  edit: {
    op: "edit",
    args: shape("EditArgs", { path: z.string(), old: z.string(), new: z.string(), max_bytes: count, lint }),
    reply: written,
  },
  glob: {
    op: "glob",
    args: shape("GlobArgs", { pattern: z.string(), limit: count, skip: givenTexts, withhold }),
    reply: shape("GlobReply", { paths: texts, truncated: z.boolean(), withheld }),
  },
  grep: {
    op: "grep",
    args: shape("GrepArgs", {
      pattern: z.string(),
      path_glob: z.string().nullable(),
      limit: count,
      skip: givenTexts,
      withhold,
    }),
    reply: shape("GrepReply", { lines: texts, truncated: z.boolean(), withheld }),
  },
  reset: { op: "reset", args: shape("ResetArgs", { commit: z.string().nullable() }), reply: nothing },
  fresh: {
    op: "fresh",
    args: shape("FreshArgs", { tree: z.string() }),
    reply: shape("FreshReply", { files: count, ms: z.number() }),
  },
  self_test: {
    op: "self_test",
    args: shape("SelfTestArgs", { probe: givenTexts }),
    reply: shape("SelfTestReply", {
      uid: z.int(),
      gid: z.int(),
      caps: shape("Capabilities", {
        eff: z.string(),
        prm: z.string(),
        inh: z.string(),
        bnd: z.string(),
        amb: z.string(),
      }),
      no_new_privs: z.int(),
      seccomp: z.int(),
      others_limits: z.boolean(),
      interfaces: texts,
      namespaces: z.record(z.string(), z.string()),
      rootfs_readonly: z.boolean(),
      mounts: z.array(shape("Mount", { dest: z.string(), options: texts })),
      env_names: texts,
      readable_outside: texts,
    }),
  },
  listen: {
    op: "listen",
    args: nothing,
    reply: shape("ListenReply", { port: z.int().min(1).max(65_535) }),
  },
  zygote: {
    op: "zygote",
    args: shape("ZygoteArgs", { argv: givenTexts, env: variables }),
    reply: shape("ZygoteReply", { ready: z.literal(true), pid: z.int() }),
  },
  zygote_call: {
    op: "zygote_call",
    args: shape("ZygoteCallArgs", { payload: z.unknown(), timeout_ms: z.number(), head: count, tail: count }),
    reply: shape("ZygoteCallReply", {
      exit: z.int().nullable(),
      signal: z.string().nullable(),
      timed_out: z.boolean(),
      died: z.boolean(),
      report_cut: z.boolean(),
      output_head: z.string(),
      output_tail: z.string(),
      omitted: count,
      killed: listOf(z.string()),
      zygote_restarted: z.boolean(),
      ms: z.number(),
    }),
  },
} as const;
