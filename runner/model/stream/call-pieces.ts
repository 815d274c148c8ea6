import { type Fields, fieldsOf } from "../wire/fields.js";
import type { Pieces } from "./pieces.js";

interface Call {
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  /** the last piece of its arguments */
  readonly last: string;
  /** all fields that came with it, its id and its name included */
  readonly fields: Record<string, unknown>;
}

interface CallPiece {
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  /** true if its arguments may be the first piece of a call */
  readonly begins: boolean;
}

/**
 * Puts the calls of one reply together. A piece belongs to the call with its index; but some providers leave the index
 * out, and some give every call the same one. So another id and another name begin another call, and so do arguments
 * that follow complete ones.
 */
export class CallPieces {
  readonly #pieces: Pieces;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<unknown, number>();
  readonly #byId = new Map<string, number>();

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  get whole(): readonly Fields[] {
    return this.#calls.map(({ fields }) => fields);
  }

  /** Returns the calls as they stand once the stream is over. */
  get ended(): readonly Fields[] {
    return this.#calls.map(withoutRepeat);
  }

  add(piece: Fields): void {
    const { index, id, type, function: called, ...others } = piece;
    const { name, ...inside } = fieldsOf(called);
    const given = { index, id: textOf(id), name: textOf(name), begins: isBeginning(inside.arguments) };
    const at = this.#placeOf(given);
    const before = this.#calls[at] ?? { index, id: "", name: "", last: "", fields: {} };
    const last = textOf(inside.arguments) || before.last;
    const call = { ...before, id: before.id || given.id, name: before.name || given.name, last };
    this.#calls[at] = call;
    if (typeof index === "number") this.#byIndex.set(index, at);
    if (given.id !== "") this.#byId.set(given.id, at);
    // the first value of these three counts, because some providers repeat them in each piece
    const once = {
      ...(call.id === "" ? { id } : { id: call.id }),
      type: call.fields.type ?? type,
      function: { ...(call.name === "" ? {} : { name: call.name }), ...inside },
    };
    this.#pieces.into(call.fields, { ...others, ...once });
  }

  #placeOf({ index, id, name, begins }: CallPiece): number {
    const next = this.#calls.length;
    const known = this.#byId.get(id);
    const isKnown = known !== undefined && (index === undefined || this.#calls[known]?.index === index);
    if (isKnown) return known;
    const at = typeof index === "number" ? (this.#byIndex.get(index) ?? next) : name === "" ? next - 1 : next;
    const call = this.#calls[at];
    if (call === undefined) return next;
    const isAnother =
      name !== "" &&
      ((call.id !== "" && id !== "" && id !== call.id) || isOther(call.name, name) || (begins && isWhole(call)));
    return isAnother ? next : at;
  }
}

function isBeginning(given: unknown): boolean {
  return typeof given === "string" ? /^\s*\{/.test(given) : typeof given === "object" && given !== null;
}

/** vLLM ends some calls with all of their arguments, after pieces of them. */
function withoutRepeat({ fields, last }: Call): Fields {
  const called = fieldsOf(fields.function);
  const held = textOf(called.arguments);
  const isRepeated = last.startsWith(held.slice(0, held.length - last.length)) && isObject(last) && !isObject(held);
  return isRepeated ? { ...fields, function: { ...called, arguments: last } } : fields;
}

/** Nothing can follow a JSON object. */
function isWhole({ fields }: Call): boolean {
  return isObject(fieldsOf(fields.function).arguments);
}

function isObject(held: unknown): boolean {
  if (typeof held !== "string") return typeof held === "object" && held !== null;
  try {
    return typeof JSON.parse(held) === "object";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function isOther(before: string, name: string): boolean {
  return before !== "" && before !== name;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
