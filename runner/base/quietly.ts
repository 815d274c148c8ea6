/** Looked at later, by whoever needs it; until then its failure is nobody's unhandled rejection. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
