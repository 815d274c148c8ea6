/**
 * The distance between the tried points of a long list: `nth`, or what EVERY says. EVERY=1 tries all of them, too long
 * for a gate.
 */
export function stepOf(nth: number): number {
  return Number(process.env.EVERY ?? nth);
}

/** The points of a long list that are tried: every `nth`, the last among them. */
export function everyNth(count: number, nth: number): number[] {
  const step = stepOf(nth);
  const points = Array.from({ length: count }, (_, at) => at + 1);
  return points.filter((point) => (count - point) % step === 0);
}

/** The rows of a long list that are tried, in their order: every `nth` of each kind, the last of each kind among them. */
export function someOf<Row>(rows: readonly Row[], nth: number, kindOf: (row: Row) => unknown = () => "all"): Row[] {
  const tried = [...new Set(rows.map(kindOf))].flatMap((kind) => {
    const alike = rows.flatMap((row, at) => (kindOf(row) === kind ? [at] : []));
    return everyNth(alike.length, nth).map((point) => alike[point - 1]);
  });
  return rows.filter((_, at) => tried.includes(at));
}

/** Whether long lists are tried whole. Tests that a gate has a quicker form of run only then. */
export const isWhole = stepOf(0) === 1;
