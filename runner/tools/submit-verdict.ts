import { z } from "zod";
import { rejectionCategory } from "../session/log/events/verdicts.js";
import { terminal } from "./tool/tool.js";

const blankIsNull = (value: unknown) => (typeof value === "string" && value.trim() === "" ? null : value);

/** The message names null too: some evaluators write a word for "no category", and would otherwise pick a category. */
const category = z.enum(rejectionCategory.options, {
  error: `must be one of ${rejectionCategory.options.join(", ")} on reject and null on accept`,
});

const input = z.strictObject({
  verdict: z.enum(["accept", "reject"]),
  rejection_category: z.preprocess(blankIsNull, category.nullish()).describe("which kind of rejection; null on accept"),
  concern: z
    .string()
    .refine((text) => text.trim() !== "", "must not be blank")
    .describe("the judgement in a sentence or two, on accept too"),
  evidence: z.array(z.string()).describe("places and facts it rests on, e.g. src/app.py:12; may be empty on accept"),
  next_step: z
    .preprocess(blankIsNull, z.string().nullish())
    .describe("the one thing to do next, naming file and action; null on accept"),
});

export type VerdictInput = z.infer<typeof input>;

export const submitVerdict = terminal<VerdictInput>({
  name: "submit_verdict",
  description: "Gives the verdict on the task. Call it exactly once.",
  input,
});
