export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  return { count: sorted.length, median: at(sorted, 0.5), p95: at(sorted, 0.95) };
}

function at(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

/** A way that times itself, for instance inside a container, returns its milliseconds. */
export type Way = (turn: number) => Promise<unknown>;

/**
 * Measures the ways in turn, so that whatever else the machine does falls on all alike. The first turns only warm up.
 */
export async function interleave<N extends string>(
  ways: Readonly<Record<N, Way>>,
  count: number,
  warmUps = 3,
): Promise<Record<N, Spread>> {
  const names = Object.keys(ways) as N[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<N, number[]>;
  for (let turn = 0; turn < warmUps + count; turn += 1) {
    for (const name of names) {
      const ms = await timed(() => ways[name](turn));
      if (turn >= warmUps) samples[name].push(ms);
    }
  }
  return Object.fromEntries(names.map((name) => [name, spreadOf(samples[name])])) as Record<N, Spread>;
}

/** Returns the milliseconds that some work takes, or what the work says it took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const told = await work();
  return typeof told === "number" ? told : performance.now() - began;
}
