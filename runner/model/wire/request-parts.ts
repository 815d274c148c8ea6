import type { Message, ToolDefinition } from "../port/model-client.js";
import type { Fields } from "./fields.js";

/** JSON as it is sent, and its length as a text. */
export interface JsonBytes {
  readonly bytes: Buffer;
  readonly chars: number;
}

interface Encoded {
  readonly provider: string;
  readonly theirId: unknown;
  readonly parts: readonly Fields[];
}

type Part = Message | ToolDefinition;

/**
 * Remembers what was made of the messages and tools of one route's requests. Each request is the one before and a
 * little more, so all but its end would be masked, encoded and written again. Neither a message nor a tool ever changes.
 */
export class RequestParts {
  readonly #encoded = new WeakMap<Part, Encoded>();
  readonly #written = new WeakMap<object, JsonBytes>();

  /** Returns what `encode` made of the part for the same provider, and with the same id of its call there. */
  encoded(part: Part, by: Omit<Encoded, "parts">, encode: () => readonly Fields[]): readonly Fields[] {
    const known = this.#encoded.get(part);
    if (known !== undefined && known.provider === by.provider && known.theirId === by.theirId) return known.parts;
    const parts = encode();
    this.#encoded.set(part, { ...by, parts });
    return parts;
  }

  /** Returns what JSON.stringify makes of the body. */
  written(body: Fields): JsonBytes {
    const pieces = Object.entries(body).flatMap(([name, value]) => {
      const json = Array.isArray(value) ? this.#list(value) : pieceOf(value);
      return json === null ? [] : [bytesOf(`,${JSON.stringify(name)}:`), ...json];
    });
    return joined([bytesOf("{"), ...withoutComma(pieces), bytesOf("}")]);
  }

  #list(items: readonly unknown[]): readonly JsonBytes[] {
    return [bytesOf("["), ...withoutComma(items.map((item) => this.#item(item))), bytesOf("]")];
  }

  /** Begins with the comma that separates it from the item before it. */
  #item(item: unknown): JsonBytes {
    if (typeof item !== "object" || item === null) return bytesOf(`,${JSON.stringify(item) ?? "null"}`);
    const known = this.#written.get(item);
    if (known !== undefined) return known;
    const json = bytesOf(`,${JSON.stringify(item)}`);
    this.#written.set(item, json);
    return json;
  }
}

function pieceOf(value: unknown): readonly JsonBytes[] | null {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined ? null : [bytesOf(json)];
}

function bytesOf(text: string): JsonBytes {
  return { bytes: Buffer.from(text), chars: text.length };
}

function withoutComma([first, ...others]: readonly JsonBytes[]): readonly JsonBytes[] {
  return first === undefined ? [] : [{ bytes: first.bytes.subarray(1), chars: first.chars - 1 }, ...others];
}

function joined(pieces: readonly JsonBytes[]): JsonBytes {
  const chars = pieces.reduce((sum, piece) => sum + piece.chars, 0);
  return { bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)), chars };
}
