import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";

export const oid = (digit: string) => digit.repeat(40);

export function inTask(task: string, iter: number) {
  return { task_id: task, trace_id: "a".repeat(32), span_id: String(iter).padStart(16, "0"), iter };
}

export function modelCall(
  task: string,
  iter: number,
  over: Partial<Payload<"model_call">> = {},
): Payload<"model_call"> {
  return {
    ...inTask(task, iter),
    phase: "worker",
    attempt: 1,
    model: "scripted",
    prompt_tokens: 100,
    cached_tokens: 0,
    cache_write_tokens: 0,
    eval_tokens: 10,
    reasoning_tokens: 0,
    estimated: false,
    cost: null,
    tokens_used_total: 110,
    finish_reason: "tool_calls",
    reasoning: null,
    content: null,
    calls: [],
    ms: 5,
    ...over,
  };
}

/** Events one second apart, as a log would hold them. */
export function logOf(...entries: { [T in EventType]: [T, Payload<T>] }[EventType][]): TilthEvent[] {
  return entries.map(
    ([type, payload], seq) =>
      ({ v: 1, seq, ts: new Date(Date.UTC(2025, 0, 1, 0, 0, seq)).toISOString(), type, payload }) as TilthEvent,
  );
}

export function asLines(events: readonly TilthEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}
