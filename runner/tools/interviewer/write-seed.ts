import { z } from "zod";
import { content, shown } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { terminal } from "../tool/tool.js";

const entry = z.object({
  id: z.string().describe("T- and the number, e.g. T-001"),
  title: z.string(),
  description: z.string().describe("all that somebody needs who knows only this task and the code"),
  acceptance_criteria: z.array(z.string()).describe("what must hold, one statement each"),
});

const points = z.array(content(limits.pointBytes)).max(limits.points).nullish();

const offered = z.object({
  prd_entries: z.array(entry).describe("the tasks, in the order they are to be done"),
  test_files: z
    .object({})
    .catchall(z.string())
    .describe("one test per task: bare file name (test_t001_slug.py) to its whole text"),
  tldr: shown(limits.tldrBytes).describe("what was agreed on: a few bullets of markdown"),
  open_questions: points.describe("what stayed unknown"),
  blockers: points.describe("what stands in the way, and what was settled about it"),
  scope_notes: z.string().nullish().describe("what is in and what is out, in markdown"),
});

/** Checks only the outer shape: the sink says what is wrong with the tasks themselves. Unknown keys are dropped. */
const input = offered.extend({ prd_entries: z.array(z.unknown()) });

export const writeSeed = terminal<z.infer<typeof input>>({
  name: "write_seed",
  description:
    "Hands in the whole seed. It is checked, and its tests are tried; what is refused comes back with the reason, and nothing of it is kept. Nothing called after it in the same reply is run.",
  input,
  offered,
});
