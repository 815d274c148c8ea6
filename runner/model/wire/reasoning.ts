import type { AssistantMessage } from "../port/model-client.js";
import { type Fields, fieldsOf } from "./fields.js";

/** Each provider has its own name for what a model thought. */
const reasoningFields = [
  "reasoning",
  "reasoning_content",
  // GitHub Copilot
  "reasoning_text",
  "reasoning_details",
  "thinking_blocks",
] as const;

/** Returns the reasoning as one text, from the first field that has any in words. */
export function reasoningAsText(message: Fields): string | null {
  const places = [...reasoningFields.map((name) => message[name]), thoughtsAmongContent(message.content)];
  return places.map(wordsOf).find((text) => text !== "") ?? null;
}

/** Counts sealed reasoning as well. */
export function hasReasoned(message: Fields): boolean {
  return (
    reasoningFields.some((name) => saysSomething(message[name])) || thoughtsAmongContent(message.content).length > 0
  );
}

/** Tells whether a model's thoughts can go back with its reply, in words or sealed. */
export function carriesReasoning({ own }: AssistantMessage): boolean {
  if (own === null) return false;
  const { output } = own.fields;
  const items = Array.isArray(output) ? output : [];
  return (
    hasReasoned(own.fields) ||
    items.some((item) => fieldsOf(item).type === "reasoning") ||
    // Gemini's signature stands with a call
    own.calls.some((call) => JSON.stringify(call).includes('"thought_signature"'))
  );
}

function saysSomething(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
}

function thoughtsAmongContent(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content.filter((part) => fieldsOf(part).type === "thinking") : [];
}

function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((part) => {
      const { text, summary, thinking } = fieldsOf(part);
      return typeof part === "string" ? part : wordsOf(text ?? summary ?? thinking);
    })
    .filter((text) => text !== "")
    .join("\n");
}
