import { NotACompletion } from "../wire/answer.js";
import { type Fields, fieldsOf } from "../wire/fields.js";
import type { ServerEvent } from "./server-events.js";

/** Puts the events of one stream together into the answer that would have come without streaming. */
export interface Assembly {
  take(event: ServerEvent): void;
  /** anything that still comes belongs to no reply */
  readonly isDone: boolean;
  /** the reply is complete, even if nothing more comes */
  readonly isWhole: boolean;
  /** characters of words, thoughts and arguments so far */
  readonly chars: number;
  answer(): Fields;
}

/** Parses an event. An error event gets the shape that errors have without a stream. */
export function fieldsIn({ name, data }: ServerEvent): Fields {
  const value = parsed(data, name);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (name === "error") return { error: data };
    throw new NotACompletion("an event of the stream is no JSON object");
  }
  const fields = fieldsOf(value);
  const isError = name === "error" || fields.type === "error";
  return isError && !hasError(fields) ? { error: fields } : fields;
}

export function hasError({ error }: Fields): boolean {
  return error !== undefined && error !== null;
}

function parsed(data: string, name: string | null): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (error instanceof SyntaxError && name === "error") return null;
    if (error instanceof SyntaxError) throw new NotACompletion("an event of the stream is no JSON");
    throw error;
  }
}
