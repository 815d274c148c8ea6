import {
  type EventSink,
  type EventType,
  eventPayloads,
  type Payload,
  type TaskSpan,
} from "../../runner/session/log/events.js";

export const span: TaskSpan = {
  task_id: "T-001",
  trace_id: "a".repeat(32),
  span_id: "b".repeat(16),
  iter: 3,
};

/** Keeps events in memory; an event that does not fit its schema fails at once. */
export class RecordedEvents implements EventSink {
  readonly all: { readonly type: EventType; readonly payload: unknown }[] = [];

  append<T extends EventType>(type: T, payload: Payload<T>): void {
    eventPayloads[type].parse(payload);
    this.all.push({ type, payload });
  }

  of<T extends EventType>(type: T): readonly Payload<T>[] {
    return this.all.filter((one) => one.type === type).map((one) => one.payload as Payload<T>);
  }

  get types(): readonly EventType[] {
    return this.all.map((one) => one.type);
  }
}
