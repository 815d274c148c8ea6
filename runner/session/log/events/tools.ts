import { z } from "zod";
import { count, event, inTask, json, maybeInTask, ms } from "./fields.js";

/** Calls of tools, and what became of them. */
export const toolEvents = {
  tool_call: event("A tool call is about to run.", {
    ...maybeInTask,
    tool: z.string(),
    call_id: z.string(),
    args: json,
  }),
  tool_result: event("A tool call was answered: the complete answer, as the model got it.", {
    ...maybeInTask,
    tool: z.string(),
    call_id: z.string(),
    content: z.string(),
    ms,
  }),
  calls_not_run: event("Calls of one reply were answered without being run.", {
    ...maybeInTask,
    count,
    why: z.enum(["too_many", "cut_off", "wall_clock", "token_cap", "cost_cap"]),
    content: z.string().describe("the answer to each of them"),
  }),
  pre_tool_block: event("A hook refused a command; it was not run.", {
    ...inTask,
    tool: z.string(),
    command: z.string(),
    reason: z.string(),
  }),
  hook_run: event("A hook ran, before a command (`pre_tool`) or after an edit (`post_edit`).", {
    ...inTask,
    hook: z.enum(["pre_tool", "post_edit"]),
    tool: z.string(),
    outcome: z.enum(["allow", "block", "silent", "warned"]),
    output: z.string(),
  }),
};
