/** Turns a producer that writes to a sink into an iterable; each chunk waits until the one before it was taken. */
export async function* streamed(
  produce: (sink: (chunk: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stopped = new AbortController();
  const ready = new Handover<Uint8Array>();
  const producing = produce((chunk) => ready.give(chunk), AbortSignal.any([signal, stopped.signal]));
  const ended = producing.then(() => null);
  ended.catch(() => undefined); // the next take meets it
  try {
    for (;;) {
      const chunk = await Promise.race([ready.take(), ended]);
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    stopped.abort();
    ready.close();
    await ended.catch(() => undefined);
  }
}

class Handover<T> {
  private waiting: ((value: T) => void) | null = null;
  private offered: { value: T; taken: () => void } | null = null;
  private closed = false;

  give(value: T): Promise<void> {
    if (this.closed) return Promise.resolve();
    if (this.waiting) {
      this.waiting(value);
      this.waiting = null;
      return Promise.resolve();
    }
    return new Promise((taken) => {
      this.offered = { value, taken };
    });
  }

  take(): Promise<T> {
    const { offered } = this;
    if (!offered)
      return new Promise((resolve) => {
        this.waiting = resolve;
      });
    this.offered = null;
    offered.taken();
    return Promise.resolve(offered.value);
  }

  close(): void {
    this.closed = true;
    this.offered?.taken();
    this.offered = null;
  }
}
