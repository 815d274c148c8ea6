import { ask, mostEmpty, type Question, restAfterEmpty } from "../dialogue/ask.js";
import { announce, opening } from "../dialogue/prompt.js";
import { isEmpty } from "../dialogue/reply.js";
import { TilthError } from "../errors.js";
import { workerPrompt } from "../memory/worker-prompt.js";
import { ContextFull, type Message, type ModelReply, type ToolCall } from "../model/model-client.js";
import { say } from "../prompts.js";
import type { TaskSpan } from "../session/events.js";
import type { Task } from "../session/prd.js";
import { workerTools } from "../tools/worker-tools.js";
import { foldResults } from "./fold-results.js";
import { type Accepted, TaskFailed } from "./outcome.js";
import type { RunContext } from "./run-context.js";

const mostQuiet = 3;

/** What has been said between the worker and the harness in one task, and how often it said nothing of use. */
export class Conversation {
  readonly registry = workerTools();
  readonly #run: RunContext;
  #messages: Message[];
  #quiet = 0;
  #empty = 0;

  constructor(run: RunContext, messages: readonly Message[]) {
    this.#run = run;
    this.#messages = [...messages];
  }

  /** The worker's next reply, or null when there was nothing in it; that one is not kept. */
  async ask(span: TaskSpan): Promise<ModelReply | null> {
    const question: Question = {
      role: "worker",
      phase: "worker",
      attempt: 1,
      messages: [...this.#messages],
      tools: this.registry.definitions,
      span,
    };
    const reply = await this.#asked(question);
    if (!isEmpty(reply)) {
      this.#messages.push(reply.message);
      return reply;
    }
    this.#empty += 1;
    await restAfterEmpty(this.#run, question, this.#empty);
    if (this.#empty >= mostEmpty)
      throw new TaskFailed("empty_responses", `the worker's model answered ${mostEmpty} times in a row with nothing`);
    return null;
  }

  /** A conversation that does not fit is asked again with old results dropped, as long as there are some. */
  async #asked(question: Question): Promise<ModelReply> {
    try {
      return await ask(this.#run, question);
    } catch (error) {
      if (!(error instanceof ContextFull)) throw error;
      this.#fold(question, error);
      return this.#asked({ ...question, messages: [...this.#messages] });
    }
  }

  #fold({ span }: Question, full: ContextFull): void {
    const { messages, folded } = foldResults(this.#messages);
    if (folded.length === 0)
      throw new TilthError(
        "infra",
        "the conversation no longer fits the context of the worker's model",
        "set TILTH_WORKER_MODEL to a model with more context, or cut the task into smaller ones",
        full,
      );
    this.#messages = [...messages];
    this.#run.events.append("context_folded", { ...span, folded: [...folded] });
  }

  answer(call: ToolCall, content: string): void {
    this.#messages.push({ role: "tool", callId: call.id, content });
  }

  /** Something said outside of any call's answer; it is a prompt like the first one. */
  tell(content: string, span: TaskSpan): void {
    this.#run.events.append("prompt_assembled", { ...span, role: "worker", content, chars: content.length });
    this.#messages.push({ role: "user", content });
  }

  calledTools(): void {
    this.#quiet = 0;
    this.#empty = 0;
  }

  nudge(span: TaskSpan): void {
    this.#quiet += 1;
    if (this.#quiet >= mostQuiet)
      throw new TaskFailed("no_case", `the worker stopped calling tools ${mostQuiet} times in a row`);
    this.tell(say("quiet"), span);
  }
}

/** Everything from disk: nothing of an earlier task is carried over in memory. */
export async function openConversation(
  run: RunContext,
  task: Task,
  span: TaskSpan,
  last: Accepted,
): Promise<Conversation> {
  run.events.append("context_reset", { ...span });
  const prompt = workerPrompt({
    task,
    plan: run.files.loadPrd(),
    contextFiles: await run.contextFiles(last.commit),
    seed: run.files.loadSeedMeta(),
    progress: run.files.progress().join("\n"),
    ledger: run.files.loadLedger(task.id),
    tools: run.hands.image.tools,
  });
  announce(prompt, "worker", run.events, span);
  return new Conversation(run, opening(prompt));
}
