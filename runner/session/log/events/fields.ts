import { z } from "zod";

export const oid = z.string().regex(/^[0-9a-f]{40}$/);
export const count = z.number().int().nonnegative();
export const ms = z.number().nonnegative();
/** z.json() tries a union for each value in it, and most events hold one. */
export const json = z.unknown().refine(isJson, "must be JSON") as unknown as z.ZodType<z.core.util.JSONType>;

/** Fields of every payload that belongs to a task. */
export const inTask = {
  task_id: z.string().describe("id of the task, such as T-001"),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe("the same for all events of a task"),
  span_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe("the same for all events of an iteration"),
  iter: count.describe("number of the worker's reply within the task; in an interview, of the interviewer's reply"),
  agent: z.string().optional().describe("reserved for modes with several agents"),
};
export const taskFieldsSchema = z.strictObject(inTask);

/** The same fields for payloads that may occur inside a task, absent otherwise. */
export const maybeInTask = {
  task_id: inTask.task_id.optional(),
  trace_id: inTask.trace_id.optional(),
  span_id: inTask.span_id.optional(),
  iter: inTask.iter.optional(),
  agent: inTask.agent,
};

export const modelPhase = z.enum(["worker", "evaluator", "self_improve", "interview"]);
export type ModelPhase = z.infer<typeof modelPhase>;

/** Makes the schema of an event's payload; `happened` says in the docs what the event stands for. */
export function event<Fields extends z.ZodRawShape>(happened: string, fields: Fields) {
  return z.strictObject(fields).describe(happened);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "object" && Object.values(value).every(isJson);
}
