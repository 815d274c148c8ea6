import { say } from "../base/prompts.js";
import { mostEmpty, restAfterEmpty } from "../dialogue/ask.js";
import { announce, opening } from "../dialogue/prompt.js";
import { isEmpty } from "../dialogue/reply.js";
import { type LeftOut, Transcript } from "../dialogue/transcript/transcript.js";
import { type OwnTestsShown, type WorkerMemory, workerPrompt } from "../memory/worker-prompt.js";
import type { Message, ModelReply, ToolCall } from "../model/port/model-client.js";
import type { TaskSpan } from "../session/log/events.js";
import type { Task } from "../session/state/prd.js";
import { type Accepted, TaskFailed } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";

const mostQuiet = 3;
const remedy = "set TILTH_WORKER_MODEL to a model with more context, or cut the task into smaller ones";

/** The messages between worker and harness in one task, and a count of replies that were of no use. */
export class Conversation {
  readonly #run: RunContext;
  readonly #transcript: Transcript;
  #quiet = 0;
  #empty = 0;

  constructor(run: RunContext, messages: readonly Message[]) {
    this.#run = run;
    const { tools, settings } = run;
    const { contextTokens } = settings;
    this.#transcript = new Transcript(run, { role: "worker", phase: "worker", tools, remedy, contextTokens }, messages);
  }

  /** Returns the worker's next reply, or null if it was empty; an empty reply is not kept. */
  async ask(span: TaskSpan): Promise<ModelReply | null> {
    const reply = await this.#transcript.ask(span);
    if (!isEmpty(reply)) {
      this.#transcript.keep(reply);
      return reply;
    }
    this.#empty += 1;
    await restAfterEmpty(this.#run, { span, phase: "worker" }, this.#empty);
    if (this.#empty >= mostEmpty)
      throw new TaskFailed("empty_responses", `the worker's model answered ${mostEmpty} times in a row with nothing`);
    return null;
  }

  answer(call: ToolCall, content: string): void {
    this.#transcript.answer(call, content);
  }

  /** Answers calls that are not run. */
  leave(calls: readonly ToolCall[], leftOut: LeftOut, span: TaskSpan): void {
    this.#transcript.leave(calls, leftOut, span);
  }

  /** Says something that answers no call; it is logged as a prompt like the first one. */
  tell(content: string, span: TaskSpan): void {
    this.#transcript.tell(content, span);
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

function ownTestsShown({ settings, suite: { baseline } }: RunContext): OwnTestsShown | null {
  return settings.suite.mode === "hold" && baseline !== null && baseline.held.size > 0 ? baseline : null;
}

/** Loads everything from disk: nothing of an earlier task is carried over in memory. */
export async function openConversation(
  run: RunContext,
  task: Task,
  span: TaskSpan,
  last: Accepted,
): Promise<Conversation> {
  run.events.append("context_reset", { ...span });
  const memory: WorkerMemory = {
    task,
    plan: run.plan(),
    contextFiles: await run.contextFiles(last.commit),
    seed: run.files.loadSeedMeta(),
    progress: run.files.progress().join("\n"),
    ledger: run.files.loadLedger(task.id),
    tools: run.hands.image.tools,
    openTo: run.settings.egress.allowed,
    environment: run.environments.shown,
    ownTests: ownTestsShown(run),
  };
  const prompt = workerPrompt(memory, run.fence.for("worker"));
  announce(prompt, "worker", run.events, span);
  return new Conversation(run, opening(prompt));
}
