import { z } from "zod";
import { listOf } from "../../../text/bounded-json.js";
import { count, givenTexts, shape } from "./shape.js";

const sentence = z.string().transform((text) => text.slice(0, 20_000));
const sentences = listOf(sentence).transform((all) => all.slice(0, 1_000));

/** The program reads it on its standard input. */
export const buildOrder = shape("BuildOrder", {
  /** path to base64 */
  files: z.record(z.string(), z.string()).readonly(),
  /** the exact list of dependency files; null finds them by their names */
  named: givenTexts.nullable(),
  from_source: givenTexts,
  /** for a project that takes its version from a tag */
  version: z.string().nullable(),
  index_url: z.string(),
  extra_index_urls: givenTexts,
  /** an environment.lock to install as it is */
  lock: z.string().nullable(),
  /** an environment.lock whose versions are kept where nothing speaks against them */
  prefer: z.string().nullable(),
  /** wheels that were built from source, by file name, in base64 */
  wheels: z.record(z.string(), z.string()).readonly(),
});
export type BuildOrder = z.infer<typeof buildOrder>;

const answer = {
  ok: z.literal(true),
  taken: sentences.default([]),
  said: sentences.default([]),
  python: z.string().default(""),
};

/** The part of an answer that is the same for every build. */
export const buildStart = shape("BuildStart", answer);

export const buildAnswer = shape("BuildAnswer", {
  ...answer,
  none: z.boolean().optional(),
  lock: z.string(),
  wheels: z.record(z.string(), z.string()).default({}),
  names: listOf(z.tuple([z.string(), z.string()])).default([]),
  packages: count.optional(),
  digest: z.string().nullish(),
  pytest: z.string().default(""),
  project: shape("NamedVersion", { name: z.string(), version: z.string() }).nullish(),
});
export type BuildResult = z.infer<typeof buildAnswer>;

const buildRefusal = shape("BuildRefusal", {
  ok: z.literal(false),
  kind: z.enum(["refused", "unresolved", "failed"]).meta({ id: "ProblemKind" }),
  problem: sentence,
  remedy: sentence,
});

const talkResult = z.union([buildAnswer, buildRefusal]);
export type TalkResult = z.infer<typeof talkResult>;

/** One line of the program's output. */
export const talkLine = z.union([shape("SaidLine", { say: z.string() }), shape("ResultLine", { result: talkResult })]);

/** The answer to `verify`. */
export const verified = shape("Verified", { digest: z.string().nullable(), differs: z.array(z.string()) });
