import { type Container, NameTaken } from "./container.js";
import type { CheckContainer } from "./zygote.js";

export interface StartedAhead {
  readonly container: CheckContainer;
  /** it waits no longer */
  taken(): void;
}

/** Null where as many wait as may. */
export type StartAhead = (signal: AbortSignal) => Promise<StartedAhead | null>;

interface Starting {
  readonly cores: number;
  readonly start: (name: string, signal: AbortSignal) => Promise<Container>;
  /** what a container is called that does not wait */
  readonly ownName: () => string;
  readonly taken: (container: Container) => void;
}

/**
 * What waits holds memory, so no more checks wait on an engine than it has cores, whoever they are for. There is a name
 * for each, and the engine gives a name to one container at a time.
 */
export function startsAhead({ cores, start, ownName, taken }: Starting): StartAhead {
  const given = (container: Container): void => {
    void container.rename(ownName());
    taken(container);
  };
  return async (signal) => {
    for (let core = 0; core < cores; core += 1) {
      const container = await start(`tilth-check-ahead-${core}`, signal).catch(nullIfTaken);
      if (container) return { container, taken: () => given(container) };
    }
    return null;
  };
}

function nullIfTaken(error: unknown): null {
  if (error instanceof NameTaken) return null;
  throw error;
}
