import { z } from "zod";

const said = z.string().refine((text) => text.trim() !== "", "must not be blank");

export const taskStatus = z.enum(["pending", "done", "failed"]);

export const taskSchema = z.strictObject({
  id: z.string().regex(/^T-\d{3,}$/, "must be T- and at least three digits"),
  title: said,
  description: said,
  acceptance_criteria: z.array(said).min(1),
  status: taskStatus,
});

export const prdSchema = z
  .array(taskSchema)
  .min(1)
  .refine((tasks) => new Set(tasks.map((task) => task.id)).size === tasks.length, "ids must be unique");

export type Task = z.infer<typeof taskSchema>;
export type TaskStatus = z.infer<typeof taskStatus>;
export type Prd = readonly Task[];
