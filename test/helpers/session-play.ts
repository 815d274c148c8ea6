import type { ScriptedCall, ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { bash, type CaseInShort, submit } from "../../runner/demo/script/steps.js";

export { bash };

/** One reply of the worker. */
export interface Step {
  /** patterns for the answers to the reply before, in this order */
  readonly seen?: readonly RegExp[];
  readonly turn: Turn;
}

/** Plays the worker's replies in each task, one by one, and keeps the answers that were not expected. */
export class Play {
  readonly surprises: string[] = [];
  readonly #steps: Readonly<Record<string, readonly Step[]>>;
  readonly #at = new Map<string, number>();

  constructor(steps: Readonly<Record<string, readonly Step[]>>) {
    this.#steps = steps;
  }

  get worker(): (request: ScriptedRequest) => Turn {
    return (request: ScriptedRequest) => this.#next(request);
  }

  #next(request: ScriptedRequest): Turn {
    const task = taskIn(request);
    const at = this.#at.get(task) ?? 0;
    this.#at.set(task, at + 1);
    const step = this.#steps[task]?.[at];
    const answers = sinceLastReply(request);
    if (step === undefined) return this.#surprised(`${task} asks for reply ${at + 1}: ${shortened(answers)}`);
    const missed = (step.seen ?? []).find((pattern, index) => !pattern.test(answers[index] ?? ""));
    if (missed) return this.#surprised(`${task}, reply ${at + 1}, expects ${missed}, answered: ${shortened(answers)}`);
    return step.turn;
  }

  #surprised(what: string): Turn {
    this.surprises.push(what);
    return { quiet: "I do not know how to go on." };
  }
}

/** A reply with these calls. The answers before it have to match `seen`. */
export function reply(calls: readonly ScriptedCall[], ...seen: RegExp[]): Step {
  return { seen, turn: { calls } };
}

export function writeFile(path: string, content: string): ScriptedCall {
  return ["write_file", { path, content }];
}

export function present(change: Partial<CaseInShort> = {}): ScriptedCall {
  return submit({ summary: "It does what it should.", met: ["parts:value"], ...change });
}

/** The task that the worker, the evaluator or self-improve is asked about. */
export function taskIn({ messages }: Pick<ScriptedRequest, "messages">): string {
  const opening = String(messages.find(({ role }) => role === "user")?.content ?? "");
  return /<<<[0-9a-f]+\n(T-\d{3,}): /.exec(opening)?.[1] ?? "no task";
}

export function textOf({ messages }: Pick<ScriptedRequest, "messages">): string {
  return messages.map(({ content }) => String(content)).join("\n");
}

function shortened(answers: readonly string[]): string {
  return answers
    .map((text) => (text.length <= 1_000 ? text : `${text.slice(0, 500)} … ${text.slice(-500)}`))
    .join("\n");
}

function sinceLastReply({ messages }: ScriptedRequest): string[] {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  return messages.slice(last + 1).map((message) => String(message.content));
}
