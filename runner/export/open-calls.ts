import type { Payload } from "../session/log/events.js";
import { toolCall } from "./moments.js";
import { OpenSpan, type SpanRecord } from "./open-span.js";
import { bool } from "./values.js";

interface OpenCall {
  readonly callId: string;
  readonly span: OpenSpan;
}

/** Tool calls without an answer yet, by iteration. Calls run in order, so each iteration has at most one. */
export class OpenCalls {
  readonly #sessionId: string;
  readonly #calls = new Map<OpenSpan, OpenCall>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  of(iteration: OpenSpan): OpenSpan | null {
    return this.#calls.get(iteration)?.span ?? null;
  }

  begin(iteration: OpenSpan, call: Payload<"tool_call">, at: { readonly spanId: string; readonly ms: number }): void {
    const { name, attributes } = toolCall(call, this.#sessionId);
    const { traceId } = iteration;
    const span = new OpenSpan({ traceId, spanId: at.spanId, name, atMs: at.ms, parent: iteration, attributes });
    this.#calls.set(iteration, { callId: call.call_id, span });
  }

  /** Null if no such call was begun. */
  answer(iteration: OpenSpan, { call_id, ms }: Payload<"tool_result">, atMs: number): SpanRecord | null {
    const call = this.#calls.get(iteration);
    if (call?.callId !== call_id) return null;
    this.#calls.delete(iteration);
    call.span.cover(atMs - ms, atMs);
    return call.span.record();
  }

  /** Closes calls that will never be answered. */
  *giveUp(iterations: Iterable<OpenSpan> = [...this.#calls.keys()]): Generator<SpanRecord> {
    for (const iteration of iterations) {
      const call = this.#calls.get(iteration);
      if (call === undefined) continue;
      this.#calls.delete(iteration);
      call.span.set({ "tilth.unanswered": bool(true) });
      yield call.span.record();
    }
  }
}
