import { z } from "zod";
import { count, ms, oid } from "./fields.js";

const names = z.array(z.string());

/** The event's fields on an environment that checks run in from now on, or for one tree. */
export const environmentFields = {
  key: z
    .string()
    .nullable()
    .describe("hash of everything that decides what is in it; null if the dependency files ask for none"),
  files: z
    .array(z.tuple([z.string(), oid]))
    .optional()
    .describe("path and blob of each dependency file that it was made from; absent in logs of older versions"),
  tree: oid.nullable().describe("the tree that asked for it; null: the session's base"),
  dependencies: z
    .union([z.literal("none"), names])
    .nullable()
    .describe("TILTH_DEPENDENCIES when the session was made"),
  from_source: names.describe("TILTH_BUILD_FROM_SOURCE at that time"),
  version: z.string().nullable().describe("the tag nearest to the base, for a project that takes its version from it"),
  taken: names.describe("what of the dependency files counted"),
  packages: count,
  python: z.string(),
  pytest: z.string(),
  lock: z.string().nullable().describe("SHA-256 of its lock"),
  built: z.boolean().describe("false if it was kept already"),
  said: names.describe("what a person was told of it"),
  ms,
};
