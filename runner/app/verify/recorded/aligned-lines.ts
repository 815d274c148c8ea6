/** One place where two lists of lines differ; null stands for a line that one of them lacks. */
export interface LinePair<T> {
  /** index in `seen`, or the place where the missing line would be */
  readonly at: number;
  readonly expected: T | null;
  readonly seen: T | null;
}

/** Leaves out the common start and end, so that only a missing or new line is reported and not every line after it. */
export function unlikeLines<T>(
  expected: readonly T[],
  seen: readonly T[],
  same: (expected: T, seen: T) => boolean,
): readonly LinePair<T>[] {
  const shorter = Math.min(expected.length, seen.length);
  const alike = (one: T | undefined, other: T | undefined) =>
    one !== undefined && other !== undefined && same(one, other);
  let head = 0;
  while (head < shorter && alike(expected[head], seen[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && alike(expected.at(-1 - tail), seen.at(-1 - tail))) tail += 1;
  const wanted = expected.slice(head, expected.length - tail);
  const found = seen.slice(head, seen.length - tail);
  return Array.from({ length: Math.max(wanted.length, found.length) }, (_, index) => ({
    at: head + index,
    expected: wanted[index] ?? null,
    seen: found[index] ?? null,
  }));
}
