/** The text is not JSON of that shape. */
export class NotJson extends Error {}

/** A member of an object, or an element of the list in one of its members. */
export interface Piece {
  readonly key: string;
  readonly value: unknown;
}

interface ListQuery {
  readonly list: string;
  readonly members: readonly string[];
}

/** no wanted member or element is longer */
const longestPiece = 64 * 1024;
const signsAtOnce = 20_000;
const blanks = /[ \t\r\n]*/y;
const plain = /[^"{}[\],:\s]+/y;
const unquoted = /[^"{}[\]]+/y;
const unescaped = /[^"\\]+/y;

/**
 * Yields the wanted members of an object and each element of its one list, piece by piece: a few megabytes of brackets
 * never become objects in memory. Yields null now and then when there is nothing for long. Skips everything else,
 * however deep it is. Fails with NotJson.
 */
export function* piecesOf(text: string, { list, members }: ListQuery): Generator<Piece | null> {
  const reading = new Reading(text);
  const seen = new Set<string>();
  reading.expect("{");
  for (let more = !reading.passes("}"); more; more = reading.passesComma("}")) {
    const key = String(parsed(yield* reading.value()));
    reading.expect(":");
    if (key !== list && !members.includes(key)) {
      yield* reading.value();
      continue;
    }
    if (seen.has(key)) throw new NotJson(`it has ${key} twice`);
    seen.add(key);
    if (key !== list) yield { key, value: parsed(yield* reading.value()) };
    else {
      reading.expect("[");
      for (let next = !reading.passes("]"); next; next = reading.passesComma("]"))
        yield { key, value: parsed(yield* reading.value()) };
    }
  }
  reading.end();
}

function parsed(piece: string): unknown {
  if (piece.length > longestPiece) throw new NotJson("a part of it is longer than any that is known");
  try {
    return JSON.parse(piece);
  } catch {
    throw new NotJson("it is torn");
  }
}

class Reading {
  #at = 0;
  #signs = 0;

  constructor(private readonly text: string) {}

  passes(sign: string): boolean {
    this.#skip(blanks);
    if (this.text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  expect(sign: string): void {
    if (!this.passes(sign)) throw new NotJson(`there is no ${sign} where one should be`);
  }

  /** Tells whether another item follows, and passes the end when none does. */
  passesComma(end: string): boolean {
    if (this.passes(",")) return true;
    this.expect(end);
    return false;
  }

  end(): void {
    this.#skip(blanks);
    if (this.#at !== this.text.length) throw new NotJson("more follows its end");
  }

  *value(): Generator<null, string> {
    this.#skip(blanks);
    const start = this.#at;
    let depth = 0;
    do {
      this.#signs += 1;
      if (this.#signs % signsAtOnce === 0) yield null;
      const sign = this.text[this.#at] ?? "";
      if (sign === '"') yield* this.#string();
      else if (sign === "{" || sign === "[") depth += this.#step();
      else if (sign === "}" || sign === "]") depth -= this.#step();
      else if (this.#skip(depth > 0 ? unquoted : plain) === 0) throw new NotJson("it is torn");
    } while (depth > 0);
    if (depth < 0) throw new NotJson("it is torn");
    return this.text.slice(start, this.#at);
  }

  *#string(): Generator<null, void> {
    this.#at += 1;
    for (;;) {
      this.#skip(unescaped);
      const sign = this.text[this.#at];
      if (sign === undefined) throw new NotJson("it is torn");
      this.#at += sign === "\\" ? 2 : 1;
      if (sign === '"') return;
      this.#signs += 1;
      if (this.#signs % signsAtOnce === 0) yield null;
    }
  }

  #step(): number {
    this.#at += 1;
    return 1;
  }

  #skip(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.text)?.[0].length ?? 0;
    this.#at += length;
    return length;
  }
}
