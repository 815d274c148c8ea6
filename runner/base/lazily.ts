/** Does the work once, when it is first asked for. Its failure shows to whoever waits for it, and to nobody else. */
export function lazily<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null;
  return () => {
    if (begun === null) {
      begun = work();
      begun.catch(() => undefined);
    }
    return begun;
  };
}
