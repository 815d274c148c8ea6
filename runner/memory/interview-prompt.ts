import { say } from "../base/prompts.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { Prd } from "../session/prd.js";
import type { EnvironmentShown } from "./environment-text.js";
import { Fence } from "./fence.js";
import { wholePlanText } from "./plan.js";
import { PromptWriter } from "./prompt-writer.js";

/** All that an interviewer starts with. */
export interface InterviewMemory {
  /** what the person typed */
  readonly brief: string;
  /** of the first task to be written */
  readonly firstId: string;
  /** of the session that tasks are added to; null for a new one */
  readonly plan: Prd | null;
  /** what the box has, one line each */
  readonly tools: readonly string[];
  readonly mostReplies: number;
  /** what the tasks will be tested in; null where that is what the image has */
  readonly environment?: EnvironmentShown | null;
}

export function interviewPrompt(memory: InterviewMemory, fence = new Fence()): Prompt {
  const tools = memory.tools.map((line) => `- ${line}`).join("\n");
  const writer = new PromptWriter(say("interview", { tools, replies: String(memory.mostReplies) }), fence);
  writer.environment(memory.environment ?? null, "environment-of-tests");
  writer.material("plan", memory.plan === null ? "" : wholePlanText(memory.plan), "plan-so-far");
  const number = memory.firstId.replace(/^T-/, "");
  writer.remark("first_id", say("first-id", { id: memory.firstId, number }));
  writer.material("brief", memory.brief, "brief");
  return writer.prompt();
}
