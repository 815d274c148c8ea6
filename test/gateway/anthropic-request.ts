import { z } from "zod";
import { scriptedModels, type WireMessage } from "../../runner/demo/script/script.js";

const block = z.looseObject({ type: z.string() });
export type Block = z.infer<typeof block>;

const content = z.union([z.string().transform((text): Block[] => [{ type: "text", text }]), z.array(block)]);

export const anthropicRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  system: content.default([]),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().optional() }).optional(),
  stream: z.boolean().default(false),
});
export type AnthropicRequest = z.infer<typeof anthropicRequest>;
export type AnthropicMessage = AnthropicRequest["messages"][number];

export function isThinking({ thinking }: AnthropicRequest): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

/** Real names: a gateway knows what each model can do, and would not let an unknown name think. */
export const claudes = {
  /** thinks as long as it is told to */
  told: { worker: "claude-sonnet-4-5", evaluator: "claude-haiku-4-5" },
  /** thinks as long as it likes, and its thinking is bound to the conversation before it */
  bound: { worker: "claude-fable-5-1", evaluator: "claude-opus-5-5" },
} as const;

/** The name by which a script knows the model. */
export function scriptedName(model: string): string {
  const isEvaluator = Object.values(claudes).some(({ evaluator }) => evaluator === model);
  return isEvaluator ? scriptedModels.evaluator : scriptedModels.worker;
}

/** The same conversation in the form of chat completions, for which scripts are written. */
export function asChat({ system, messages }: AnthropicRequest): WireMessage[] {
  const first: WireMessage[] = system.length === 0 ? [] : [{ role: "system", content: textIn(system) }];
  return [...first, ...messages.flatMap((message) => (message.role === "user" ? fromUser(message) : [reply(message)]))];
}

function fromUser({ content }: AnthropicMessage): WireMessage[] {
  return content.map((one) =>
    one.type === "tool_result"
      ? { role: "tool", tool_call_id: String(one.tool_use_id), content: textIn(contentIn(one.content)) }
      : { role: "user", content: textIn([one]) },
  );
}

function reply({ content }: AnthropicMessage): WireMessage {
  const calls = content
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => ({
      id: String(id),
      function: { name: String(name), arguments: JSON.stringify(input) },
    }));
  return { role: "assistant", content: textIn(content), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function contentIn(given: unknown): Block[] {
  return given === undefined ? [] : content.parse(given);
}

function textIn(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}
