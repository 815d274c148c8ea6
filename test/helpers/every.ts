/**
 * The points of a long list that are tried: every `nth`, the last among them, or as EVERY says; EVERY=1 tries them all, which
 * takes too long for a gate.
 */
export function everyNth(count: number, nth: number): number[] {
  const step = Number(process.env.EVERY ?? nth);
  const points = Array.from({ length: count }, (_, at) => at + 1);
  return points.filter((point) => (count - point) % step === 0);
}
