import { argumentsOf } from "../../model/port/call-arguments.js";
import type { ToolCall } from "../../model/port/model-client.js";
import type { Registry } from "./registry.js";

/**
 * Answers one call of a model to a tool that is not terminal. A model's mistake becomes the answer; errors of the
 * context (the container lost, the run interrupted) pass through.
 */
export async function settle<C>(call: ToolCall, registry: Registry<C>, context: C): Promise<string> {
  const found = registry.find(call.name);
  if (!found)
    return `There is no tool ${JSON.stringify(call.name.slice(0, 100))}. The tools are: ${registry.names.join(", ")}.`;
  const args = argumentsOf(call);
  if (args.kind !== "object") return `${call.name} was not run: ${args.problem}.`;
  const ready = found.prepare(args.value, context);
  if (!ready.ok) return `${call.name} was not run:\n${ready.problem}`;
  return ready.value();
}
