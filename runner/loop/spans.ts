import { randomBytes } from "node:crypto";
import type { TaskSpan } from "../session/log/events.js";

/** The ids that tie a task's events together: one trace per task, one span per iteration. */
export class Trace {
  readonly #taskId: string;
  readonly #trace = randomBytes(16).toString("hex");
  #current: TaskSpan;

  constructor(taskId: string) {
    this.#taskId = taskId;
    this.#current = this.#at(0);
  }

  get span(): TaskSpan {
    return this.#current;
  }

  next(): TaskSpan {
    this.#current = this.#at(this.#current.iter + 1);
    return this.#current;
  }

  #at(iter: number): TaskSpan {
    return { task_id: this.#taskId, trace_id: this.#trace, span_id: randomBytes(8).toString("hex"), iter };
  }
}
