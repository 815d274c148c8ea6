import { type Connection, watchConnection } from "./connection.js";
import { type Facts, readFacts } from "./log/facts.js";
import { parsed } from "./log/read.js";

const linesAtFirst = 2_000;
const linesAtOnce = 15_000;

/** Reads the lines in the file in portions, so that the first are shown before the last are read. */
export function readBlocks(take: (lines: readonly string[]) => void, done: () => void): void {
  const blocks = [...document.querySelectorAll("script.events")];
  const next = (most: number) => {
    const lines: string[] = [];
    while (lines.length < most) {
      const block = blocks.shift();
      if (block === undefined) break;
      lines.push(...linesIn(block.textContent ?? ""));
      block.remove();
    }
    if (lines.length > 0) take(lines);
    if (blocks.length > 0) setTimeout(() => next(linesAtOnce));
    else done();
  };
  next(linesAtFirst);
}

function linesIn(block: string): readonly string[] {
  return block.replace(/^\[\n/, "").replace(/\n\]$/, "").split(",\n");
}

export interface Following {
  readonly take: (lines: readonly string[]) => void;
  readonly facts: (facts: Facts) => void;
  readonly connection: (state: Connection) => void;
}

/** Follows a session's stream from its first event on. */
export function follow({ take, facts, connection }: Following): void {
  const stream = new EventSource("events");
  stream.addEventListener("message", ({ data }: MessageEvent<string>) => take(data.split("\n")));
  stream.addEventListener("facts", ({ data }: MessageEvent<string>) => facts(readFacts(parsed(data))));
  watchConnection(stream, connection);
  stream.addEventListener("gone", () => {
    stream.close();
    connection("gone");
  });
}
