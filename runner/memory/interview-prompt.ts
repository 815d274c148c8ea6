import { say } from "../base/prompts.js";
import type { Prompt } from "../dialogue/prompt.js";
import type { Prd } from "../session/state/prd.js";
import type { EnvironmentShown } from "./environment-text.js";
import { Fence } from "./fence.js";
import { wholePlanText } from "./plan.js";
import { PromptWriter } from "./prompt-writer.js";

/** Everything an interviewer starts with. */
export interface InterviewMemory {
  /** the person's own words */
  readonly brief: string;
  /** id of the first task to be written */
  readonly firstId: string;
  /** plan of the session that tasks are added to; null for a new session */
  readonly plan: Prd | null;
  /** the tools in the box, one line each */
  readonly tools: readonly string[];
  readonly mostReplies: number;
  /** the environment the tasks are tested in; null if it is the image's own */
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
