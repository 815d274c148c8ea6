import { z } from "zod";
import { checkEvents } from "./events/checks.js";
import { count } from "./events/fields.js";
import { handsEvents } from "./events/hands.js";
import { modelEvents } from "./events/model.js";
import { endEvents, startEvents } from "./events/session.js";
import { toolEvents } from "./events/tools.js";
import { verdictEvents } from "./events/verdicts.js";

/** The payload of each event by its type, in the order of the docs. */
export const eventPayloads = {
  ...startEvents,
  ...modelEvents,
  ...toolEvents,
  ...checkEvents,
  ...verdictEvents,
  ...handsEvents,
  ...endEvents,
} as const;
export type EventType = keyof typeof eventPayloads;
export type Payload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;

type EnvelopeOf<T extends EventType> = {
  readonly v: 1;
  readonly seq: number;
  readonly ts: string;
  readonly type: T;
  readonly payload: Payload<T>;
};
export type TilthEvent = { [T in EventType]: EnvelopeOf<T> }[EventType];

const envelope = { v: z.literal(1), seq: count, ts: z.iso.datetime() };
const members = (Object.keys(eventPayloads) as EventType[]).map((type) =>
  z.strictObject({ ...envelope, type: z.literal(type), payload: eventPayloads[type] }),
);
const [first, ...rest] = members;
if (!first) throw new Error("the event union is empty");

/** The source of truth for a line of events.jsonl. */
export const eventSchema = z.discriminatedUnion("type", [first, ...rest]) as unknown as z.ZodType<TilthEvent>;

/** The ids that connect a payload to its task, as in `inTask`. */
export interface TaskSpan {
  readonly task_id: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly iter: number;
}

/** A place in a dialogue: in a task, or at a reply of an interview. */
export type Span = TaskSpan | Pick<TaskSpan, "iter">;

/** Takes facts to be logged. When `append` returns, the line has been written (not necessarily synced). */
export interface EventSink {
  append<T extends EventType>(type: T, payload: Payload<T>): void;
}
