import type { Message } from "../model/port/model-client.js";
import type { ModelPhase } from "../session/log/events/fields.js";
import type { ChannelUse } from "../session/log/events/model.js";
import type { EventSink, Span, TaskSpan } from "../session/log/events.js";

/** A role's opening messages, and the channels their text came from. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
  readonly channels: Readonly<Record<string, ChannelUse>>;
}

export function opening(prompt: Prompt): readonly Message[] {
  return [
    { role: "system", content: prompt.system },
    { role: "user", content: prompt.user },
  ];
}

/** Logs a prompt before it is sent. */
export function announce(prompt: Prompt, role: ModelPhase, events: EventSink, span: TaskSpan): void {
  events.append("memory_load", { ...span, role, channels: { ...prompt.channels } });
  recordPrompt(prompt, role, events, span);
}

/** Logs the prompt alone, for a role without a task: it has no memory of one to load. */
export function recordPrompt(prompt: Prompt, role: ModelPhase, events: EventSink, span: Span): void {
  const content = `${prompt.system}\n\n${prompt.user}`;
  events.append("prompt_assembled", { ...span, role, content, chars: content.length });
}
