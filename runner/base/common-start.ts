/** Returns how many items two lists have in common from their start: the very same ones, not equal ones. */
export function commonStart(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}
