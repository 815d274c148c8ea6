/** Keeps a failure from becoming an unhandled rejection until somebody awaits the promise. */
export function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
