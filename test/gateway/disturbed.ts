import type { Script, ScriptedCall, ScriptedRequest, Turn, WireMessage } from "../../runner/demo/script/script.js";
import { bash } from "../../runner/demo/script/steps.js";
import { contextFull, refused } from "./replies.js";

/** long enough to be folded */
const command = "seq 1 2000";
const loud = bash(command);
const cut: ScriptedCall = ["bash", '{"command": "seq 1 2'];

/** The same play with faults that a session meets once in a while, all of them before the first step. */
export function disturbed(play: Script, dialect: "openai" | "anthropic"): Script {
  const between: readonly Turn[] = [refused(1), { calls: [loud] }, { cut }, { calls: [loud] }, contextFull(dialect)];
  const left = [...between];
  const { worker } = play;
  if (typeof worker !== "function") throw new Error("a play that counts requests cannot be disturbed");
  return { ...play, worker: (request) => left.shift() ?? worker(undisturbed(request)) };
}

/** The conversation as it would be without the faults, because a play looks at how far it has come. */
function undisturbed(request: ScriptedRequest): ScriptedRequest {
  const { messages } = request;
  const last = messages.findLastIndex((message) => isLoud(message));
  if (last < 0) return request;
  const first = messages.findIndex(({ role }) => role === "assistant");
  const rest = messages.slice(last + 1);
  const answered = rest.findIndex(({ role }) => role !== "tool");
  return { ...request, messages: [...messages.slice(0, first), ...(answered < 0 ? [] : rest.slice(answered))] };
}

function isLoud({ tool_calls }: WireMessage): boolean {
  return tool_calls?.some((call) => call.function.arguments.includes(command)) ?? false;
}
