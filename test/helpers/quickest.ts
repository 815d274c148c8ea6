const tries = 8;

/** The shortest time of several tries, in milliseconds: a busy machine may take the core away at any moment. */
export async function quickest(act: () => unknown, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < tries && least >= enoughMs; at += 1) {
    const began = performance.now();
    await act();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** How many times longer many take than few, by the quickest of several tries each; it stops trying at `enough`. */
export function growth(act: (count: number) => unknown, few: number, many: number, enough: number): number {
  // code that was never run before is slow, and few would take as long as many
  for (let at = 0; at < tries; at += 1) act(few);
  const least = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
  for (let at = 0; at < tries && !(least.many / least.few <= enough); at += 1) {
    least.few = Math.min(
      least.few,
      timed(() => act(few)),
    );
    least.many = Math.min(
      least.many,
      timed(() => act(many)),
    );
  }
  return least.many / least.few;
}

function timed(act: () => unknown): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}
