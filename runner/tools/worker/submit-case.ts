import { z } from "zod";
import { caseTool } from "../../session/log/case-tool.js";
import { terminal } from "../tool/tool.js";

export const mostWorkArounds = 5;

const said = z.string().refine((text) => text.trim() !== "", "must not be blank");
const coverage = z.strictObject({
  criterion: z.union([said, z.number()]).describe("the criterion's number, or its exact text"),
  addressed_by: said.describe("where it is met, e.g. src/app.py:main; a pointer, not prose"),
  evidence: z.string().nullish().describe("what shows it, e.g. a test id"),
});

const input = z.strictObject({
  summary: said.describe("what was done; it becomes the commit message"),
  ac_coverage: z.array(coverage).describe("every acceptance criterion, each at least once"),
  work_arounds: z.array(z.string()).nullish().describe(`shortcuts taken, at most ${mostWorkArounds}`),
  uncertainties: z.array(z.string()).nullish().describe("what you are not sure of"),
});

export type CaseInput = z.infer<typeof input>;

export const submitCase = terminal<CaseInput>({
  name: caseTool,
  description: "Presents the finished task to be checked and judged. Nothing called after it in the same reply is run.",
  input,
  main: "summary",
  underWay: "running the checks",
  drawn: { as: "case" },
});
