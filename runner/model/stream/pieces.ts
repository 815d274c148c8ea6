import { type Fields, fieldsOf } from "../wire/fields.js";

type GrownFields = Record<string, unknown>;

/** Fields that come in pieces, as a text or a list. Of others the last value counts: joining might garble them. */
const growing = new Set([
  "content",
  "refusal",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
  "reasoning_details",
  "thinking_blocks",
  "images",
  "annotations",
  "text",
  "thinking",
  "summary",
  "arguments",
]);
/** Types of list entries that come in pieces even without an index that says where a piece belongs. */
const inPieces = new Set(["text", "thinking", "reasoning.text", "reasoning.summary"]);

/** Joins each new piece to the fields held so far. */
export class Pieces {
  /** for each list, the latest entry of each index */
  readonly #latest = new WeakMap<readonly unknown[], Map<unknown, GrownFields>>();

  into(held: GrownFields, piece: Fields): void {
    for (const [name, value] of Object.entries(piece)) {
      // set on an object, this name would be no field of it
      if (name === "__proto__" || value === null || value === undefined) continue;
      held[name] = growing.has(name) ? this.#grown(held[name], value) : this.#replaced(held[name], value);
    }
  }

  #grown(before: unknown, value: unknown): unknown {
    if (typeof value === "string") {
      if (!Array.isArray(before)) return typeof before === "string" ? before + value : value;
      return value === "" ? before : this.#listed(before, [{ type: "text", text: value }]);
    }
    if (!Array.isArray(value)) return this.#replaced(before, value);
    if (Array.isArray(before)) return this.#listed(before, value);
    return this.#listed(typeof before === "string" && before !== "" ? [{ type: "text", text: before }] : [], value);
  }

  #replaced(before: unknown, value: unknown): unknown {
    if (value === "" && typeof before === "string") return before;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const held = typeof before === "object" && before !== null && !Array.isArray(before) ? (before as GrownFields) : {};
    this.into(held, fieldsOf(value));
    return held;
  }

  #listed(list: unknown[], entries: readonly unknown[]): unknown[] {
    for (const entry of entries) this.#add(list, entry);
    return list;
  }

  #add(list: unknown[], entry: unknown): void {
    if (typeof entry !== "object" || entry === null) {
      list.push(entry);
      return;
    }
    const piece = fieldsOf(entry);
    const begun = piece.index === undefined ? list.at(-1) : this.#latestOf(list).get(piece.index);
    const goesOn = typeof begun === "object" && begun !== null && isContinued(begun as GrownFields, piece);
    const held = goesOn ? (begun as GrownFields) : {};
    if (!goesOn) list.push(held);
    if (piece.index !== undefined) this.#latestOf(list).set(piece.index, held);
    this.into(held, piece);
  }

  #latestOf(list: readonly unknown[]): Map<unknown, GrownFields> {
    const latest = this.#latest.get(list) ?? new Map<unknown, GrownFields>();
    this.#latest.set(list, latest);
    return latest;
  }
}

/** A signature ends the entry that it signs, and sealed data comes whole. */
function isContinued(held: Fields, piece: Fields): boolean {
  if (held.index !== piece.index || areTwo(held.type, piece.type) || areTwo(held.id, piece.id)) return false;
  if (isText(held.data) && isText(piece.data)) return false;
  if (isText(held.signature) && held.signature !== piece.signature && saysMore(piece)) return false;
  return piece.index !== undefined || inPieces.has(String(piece.type));
}

function saysMore({ text, thinking, summary, signature }: Fields): boolean {
  return [text, thinking, summary, signature].some((value) => isText(value) || Array.isArray(value));
}

function areTwo(one: unknown, other: unknown): boolean {
  return isText(one) && isText(other) && one !== other;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
