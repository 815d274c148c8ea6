import { type Fields, fieldsOf } from "./fields.js";

/** Each provider has its own name for what a model thought. */
const reasoningFields = ["reasoning", "reasoning_content", "reasoning_details", "thinking_blocks"] as const;

/** Reasoning as one text, from the first field that has any in words. */
export function reasoningAsText(message: Fields): string | null {
  const places = [...reasoningFields.map((name) => message[name]), thoughtsAmongContent(message.content)];
  return places.map(wordsOf).find((text) => text !== "") ?? null;
}

/** Sealed reasoning counts as well. */
export function hasReasoned(message: Fields): boolean {
  return (
    reasoningFields.some((name) => saysSomething(message[name])) || thoughtsAmongContent(message.content).length > 0
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
