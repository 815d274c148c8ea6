import { commonStart } from "../../base/common-start.js";
import { GrowingBytes } from "../../base/growing-bytes.js";
import type { Message, ToolDefinition } from "../port/model-client.js";
import type { Fields } from "./fields.js";

/** JSON in the pieces that it is sent in, and its length as a text. */
export interface JsonPieces {
  readonly pieces: readonly Uint8Array[];
  readonly chars: number;
}

interface Encoded<P> {
  readonly provider: string;
  readonly of: readonly P[];
  readonly fields: readonly Fields[];
  /** for each part, the number of fields up to its end */
  readonly ends: readonly number[];
}

/** A list that was written, without its brackets. */
interface Written {
  readonly items: readonly unknown[];
  readonly bytes: GrowingBytes;
  /** for each item, the lengths up to its end */
  readonly ends: readonly { readonly bytes: number; readonly chars: number }[];
}

const nothing = { provider: "", of: [], fields: [], ends: [] };

/**
 * Remembers what the last request of a route was made of. Each request is the one before and a little more, so all but
 * its end would be masked, encoded and written again. Neither a message nor a tool ever changes.
 */
export class RequestParts {
  #messages: Encoded<Message> = nothing;
  #tools: Encoded<ToolDefinition> = nothing;
  readonly #written = new Map<string, Written>();

  messages(all: readonly Message[], provider: string, encode: (one: Message) => readonly Fields[]): readonly Fields[] {
    this.#messages = encoded(this.#messages, { provider, of: all }, encode);
    return this.#messages.fields;
  }

  tools(all: readonly ToolDefinition[], provider: string, encode: (one: ToolDefinition) => Fields): readonly Fields[] {
    this.#tools = encoded(this.#tools, { provider, of: all }, (one) => [encode(one)]);
    return this.#tools.fields;
  }

  /** Returns what JSON.stringify makes of the body. */
  written(body: Fields): JsonPieces {
    const json = new Json("{");
    let comma = "";
    for (const [name, value] of Object.entries(body)) {
      const text: string | undefined = Array.isArray(value) ? "" : JSON.stringify(value);
      if (text === undefined) continue;
      json.add(`${comma}${JSON.stringify(name)}:${text}`);
      if (Array.isArray(value)) this.#addList(json, name, value);
      comma = ",";
    }
    return json.ended("}");
  }

  #addList(json: Json, name: string, items: readonly unknown[]): void {
    const list = grown(this.#written.get(name), items);
    this.#written.set(name, list);
    json.add("[");
    json.addBytes(list.bytes.all, list.ends.at(-1)?.chars ?? 0);
    json.add("]");
  }
}

function encoded<P>(
  before: Encoded<P>,
  { provider, of }: Pick<Encoded<P>, "provider" | "of">,
  encode: (one: P) => readonly Fields[],
): Encoded<P> {
  const same = provider === before.provider ? commonStart(before.of, of) : 0;
  const ends = before.ends.slice(0, same);
  const fields = before.fields.slice(0, ends.at(-1) ?? 0);
  for (const one of of.slice(same)) ends.push(fields.push(...encode(one)));
  return { provider, of, fields, ends };
}

/** Bytes that were sent may still be on their way, so a list that has another end is written elsewhere. */
function grown(before: Written | undefined, items: readonly unknown[]): Written {
  const same = before === undefined ? 0 : commonStart(before.items, items);
  const ends = before?.ends.slice(0, same) ?? [];
  const kept = ends.at(-1) ?? { bytes: 0, chars: 0 };
  const isLonger = before !== undefined && same === before.items.length;
  const bytes = isLonger ? before.bytes : new GrowingBytes();
  if (!isLonger && before !== undefined) bytes.add(before.bytes.all.subarray(0, kept.bytes));
  let { chars } = kept;
  for (const [nth, item] of items.slice(same).entries()) {
    const text = `${same + nth === 0 ? "" : ","}${JSON.stringify(item) ?? "null"}`;
    bytes.add(Buffer.from(text));
    chars += text.length;
    ends.push({ bytes: bytes.length, chars });
  }
  return { items, bytes, ends };
}

/** JSON that is put together, its short parts in one piece. */
class Json {
  readonly #pieces: Uint8Array[] = [];
  #text: string;
  #chars = 0;

  constructor(start: string) {
    this.#text = start;
  }

  add(text: string): void {
    this.#text += text;
  }

  addBytes(bytes: Uint8Array, chars: number): void {
    this.#flush();
    this.#pieces.push(bytes);
    this.#chars += chars;
  }

  ended(end: string): JsonPieces {
    this.add(end);
    this.#flush();
    return { pieces: this.#pieces, chars: this.#chars };
  }

  #flush(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#chars += this.#text.length;
    this.#text = "";
  }
}
