import type { z } from "zod";
import { loadTextIfThere, parseState, saveState } from "../../session/state/state-file.js";

const mostKept = 200;

/**
 * A small file in the home that saves a repeated question and decides nothing. A file that is torn, unreadable or
 * unwritable counts as empty: a full disk is reported by the files that must be written. Only the newest entries are
 * kept.
 */
export class HomeMemory<File, Entry> {
  readonly #path: string;
  readonly #shape: Shape<File, Entry>;

  constructor(path: string, shape: Shape<File, Entry>) {
    this.#path = path;
    this.#shape = shape;
  }

  entries(): readonly Entry[] {
    try {
      const text = loadTextIfThere(this.#path);
      return text === "" ? [] : this.#shape.entries(parseState(this.#path, text, this.#shape.schema));
    } catch {
      return [];
    }
  }

  keep(entry: Entry, isStillWanted: (other: Entry) => boolean): void {
    const kept = [...this.entries().filter(isStillWanted), entry].slice(-mostKept);
    try {
      saveState(this.#path, this.#shape.schema, this.#shape.file(kept));
    } catch {
      // nothing depends on this file, so a failed write is no trouble
    }
  }
}

export interface Shape<File, Entry> {
  readonly schema: z.ZodType<File>;
  readonly entries: (file: File) => readonly Entry[];
  readonly file: (entries: Entry[]) => File;
}
