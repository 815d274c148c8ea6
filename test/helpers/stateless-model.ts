import { Interrupted } from "../../runner/base/errors.js";
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "../../runner/model/port/model-client.js";
import { type FakeReply, usualUsage } from "./fake-model-client.js";
import { accept, calls, learned, quiet, reject, solve, submit, write } from "./loop-turns.js";
import { taskId } from "./numbered-seed.js";

/** The way a task goes: accepted at once, after a failed check, after a rejection, or in the run after it failed. */
export type TaskKind = "accepted" | "mended" | "rejected" | "failed";

/** Answers by what it is shown and remembers nothing, so that a run cut short anywhere comes to the same end. */
export class StatelessModel implements ModelClient {
  #ids = 0;

  constructor(private readonly kinds: readonly TaskKind[]) {}

  async complete(request: ModelRequest, { signal }: CallOptions): Promise<ModelReply> {
    if (signal.aborted) throw new Interrupted();
    const reply = this.#replyTo(request);
    return {
      message: {
        role: "assistant",
        content: reply.content ?? null,
        calls: (reply.calls ?? []).map(([name, args]) => ({
          id: `call_${++this.#ids}`,
          name,
          arguments: JSON.stringify(args),
        })),
        own: null,
      },
      reasoningText: null,
      hasReasoned: false,
      finishReason: reply.calls ? "tool_calls" : "stop",
      usage: usualUsage,
      cost: null,
      model: `stateless-${request.role}`,
      modelAsked: null,
      ms: 1,
    };
  }

  #replyTo({ role, tools, messages }: ModelRequest): FakeReply {
    const shown = messages.map(({ content }) => content ?? "").join("\n");
    if (tools.length === 0) return learned("It has tests.");
    const n = taskIn(shown);
    const kind = this.kinds[n - 1];
    const wasRejected = shown.includes("THE-CONCERN");
    if (role === "evaluator") return kind === "rejected" && !wasRejected ? reject() : accept;
    const isFirst = !messages.some((message) => message.role === "tool");
    if (kind === "mended" && isFirst) return calls(draft(n), submit());
    if (kind === "rejected" && wasRejected) return calls(write("note.txt", "why\n"), ...solved(n));
    if (kind === "failed" && !shown.includes(`${taskId(n)}\tfailed`)) return quiet;
    return solve(n);
  }
}

const draft = (n: number) => write(`draft_${n}.txt`, "not yet\n");
const solved = (n: number) => solve(n).calls ?? [];

/** Reads the number of the task. The plan that comes before it numbers no criteria. */
function taskIn(shown: string): number {
  return Number(/^1\. Criterion of (\d+)$/m.exec(shown)?.[1]);
}
