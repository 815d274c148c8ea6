import { z } from "zod";
import { oneLine } from "../../text/sanitise.js";
import { shown } from "../tool/fields.js";
import { limits } from "../tool/limits.js";
import { tool } from "../tool/tool.js";
import type { InterviewContext } from "./interview-context.js";

const option = shown(limits.optionBytes).refine((text) => !/[\r\n]/.test(text), "must be one line");

const input = z.strictObject({
  question: shown(limits.questionBytes).describe("one question, with what it rests on"),
  options: z
    .array(option)
    .max(limits.options, `must be at most ${limits.options} options`)
    .refine(
      (all) => new Set(all.map((one) => oneLine(one, limits.optionBytes))).size === all.length,
      "must differ from one another",
    )
    .nullish()
    .describe("likely answers, one line each; the person can always answer something else, so leave that out"),
});

export const askUser = tool<z.infer<typeof input>, InterviewContext>({
  name: "ask_user",
  description: "Asks the person one question and gives their answer: one of the options, or anything they typed.",
  input,
  main: "question",
  isDear: true,
  run: ({ question, options }, { frontend, signal }) => frontend.askUser(question, options ?? [], signal),
});
