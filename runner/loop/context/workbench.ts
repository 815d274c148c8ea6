import { asleepMs } from "../../base/awake.js";
import type { CommitId } from "../../base/ids.js";
import { quietly } from "../../base/quietly.js";
import { againAfterSleep } from "../../hands/ports/after-sleep.js";
import { type Hands, HandsLost } from "../../hands/ports/hands.js";
import { receiptOf, type Work } from "../../hands/ports/work.js";
import type { EventSink, TaskSpan } from "../../session/log/events.js";
import { ifAsleep, lossOf } from "../../session/log/hands-events.js";
import { submitCase } from "../../tools/worker/submit-case.js";
import { TaskFailed } from "./outcome.js";
import { recordReceipt } from "./receipt.js";

const mostLosses = 3;

export type Used<T> =
  | { readonly lost: false; readonly value: T }
  /** `failure` ends the task once the call has its answer: its container was lost too often */
  | { readonly lost: true; readonly failure: TaskFailed | null };

export interface WorkbenchParts {
  readonly hands: Pick<Hands, "work" | "image">;
  /** settles once the clerk has the session's objects, which the container borrows */
  readonly repository: () => Promise<void>;
  readonly events: EventSink;
  readonly signal: AbortSignal;
}

/** The work container over a run: started for the first task, replaced when it is lost, wiped at each task start. */
export class Workbench {
  readonly #parts: WorkbenchParts;
  #losses = 0;
  /** null until the first task begins */
  #task: { readonly commit: CommitId; readonly ready: Promise<Work> } | null = null;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
  }

  /** Returns at once; failures show at the first use. */
  beginTask(commit: CommitId): void {
    this.#losses = 0;
    const before = this.#task?.ready;
    this.#task = { commit, ready: quietly(this.#readyAfter(before, commit)) };
  }

  async #readyAfter(before: Promise<Work> | undefined, commit: CommitId): Promise<Work> {
    const work = await before;
    return work?.isCurrent ? this.#wiped(work, commit) : this.#fresh(commit);
  }

  /**
   * The container, with no start or wipe under way. A container lost while no call ran is not counted against the task.
   */
  settled(span: TaskSpan): Promise<Work> {
    return againAfterSleep(() => this.#settled(span));
  }

  async #settled(span: TaskSpan): Promise<Work> {
    try {
      const work = await this.#begun.ready;
      if (!work.isLost) return work;
      const { endedAsleep: asleep } = work;
      return await this.#startAgain(new HandsLost("work", "it went away", { asleep }), null, span);
    } catch (error) {
      if (!(error instanceof HandsLost)) throw error;
      return this.#startAgain(error, null, span);
    }
  }

  /** From the return until the next call, nothing in the container changes the worktree. */
  async quiet(span: TaskSpan): Promise<void> {
    const work = await this.settled(span);
    try {
      await work.quiet(this.#parts.signal);
    } catch (error) {
      if (!(error instanceof HandsLost)) throw error;
      await againAfterSleep(() => this.#startAgain(error, submitCase.definition.name, span));
    }
  }

  /** On return nothing is under way any more, whether it succeeded or not. */
  async atRest(): Promise<void> {
    await this.#task?.ready.catch(() => undefined);
  }

  async use<T>(during: string, span: TaskSpan, call: (work: Work) => Promise<T>): Promise<Used<T>> {
    for (;;) {
      const work = await this.settled(span);
      const slept = asleepMs();
      try {
        return { lost: false, value: await call(work) };
      } catch (error) {
        if (!(error instanceof HandsLost)) throw error;
        // the container ended in a sleep that was over before this call, so nothing of the call has run
        const hasBegun = !error.asleep || asleepMs() > slept;
        await this.#replace(error, during, span);
        if (hasBegun) return { lost: true, failure: this.#failure };
      }
    }
  }

  async #replace(loss: HandsLost, during: string, span: TaskSpan): Promise<void> {
    if (!loss.asleep) this.#losses += 1;
    if (this.#losses >= mostLosses) this.#noteLoss(loss, during, span);
    else await againAfterSleep(() => this.#startAgain(loss, during, span));
  }

  get #failure(): TaskFailed | null {
    if (this.#losses < mostLosses) return null;
    return new TaskFailed("hands_lost", `the work container was lost ${mostLosses} times in this task`);
  }

  #noteLoss(loss: HandsLost, during: string | null, span: TaskSpan): void {
    this.#parts.events.append("hands_lost", { ...span, ...lossOf(loss), during });
  }

  async #startAgain(loss: HandsLost, during: string | null, span: TaskSpan): Promise<Work> {
    this.#noteLoss(loss, during, span);
    const { commit } = this.#begun;
    const ready = quietly(this.#fresh(commit));
    this.#task = { commit, ready };
    const work = await ready;
    this.#parts.events.append("hands_restarted", { ...span, role: loss.role, ...ifAsleep(loss) });
    return work;
  }

  get #begun() {
    if (this.#task === null) throw new Error("no task has begun");
    return this.#task;
  }

  async #fresh(commit: CommitId): Promise<Work> {
    const started = quietly(this.#start());
    await this.#parts.repository();
    return this.#wiped(await started, commit);
  }

  async #wiped(work: Work, commit: CommitId): Promise<Work> {
    await work.beginTask(commit, this.#parts.signal);
    return work;
  }

  async #start(): Promise<Work> {
    const { hands, events, signal } = this.#parts;
    const receipt = await hands.work.start(signal).catch(receiptOf);
    recordReceipt({ role: "work", image: hands.image, receipt }, events);
    return hands.work;
  }
}
