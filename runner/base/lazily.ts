/** Does the work once, when first asked for. A failure reaches whoever waits and is never an unhandled rejection. */
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
