import { oneLine } from "../../runner/text/sanitise.js";

export interface Expectation {
  readonly name: string;
  /** gives what was seen; throws NotSeen if that was something else */
  readonly holds: () => Promise<string>;
}

export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly seen: string;
}

/** The expectation is not met; the message tells what came instead. */
export class NotSeen extends Error {}

const longestSeen = 300;

export async function tried({ name, holds }: Expectation): Promise<Result> {
  try {
    return { name, passed: true, seen: oneLine(await holds(), longestSeen) };
  } catch (error) {
    const seen = error instanceof NotSeen ? error.message : String(error);
    return { name, passed: false, seen: oneLine(seen, longestSeen) };
  }
}

export function lineOf({ name, passed, seen }: Result): string {
  return `${passed ? "passed" : "FAILED"}  ${name}: ${seen}`;
}
