import { availableParallelism } from "node:os";

export interface PointReport {
  readonly what: string;
  readonly points: number;
  /** one sentence for each point that came out otherwise */
  readonly wrong: readonly string[];
}

/** Holds every point, and gives a sentence for each that is not as it must be. */
export async function inParallel(
  points: readonly number[],
  hold: (point: number) => Promise<string | null>,
): Promise<readonly string[]> {
  const left = [...points];
  const wrong: string[] = [];
  const hand = async (): Promise<void> => {
    for (let point = left.shift(); point !== undefined; point = left.shift()) {
      const said = await hold(point).catch((error: unknown) => `step ${point}: ${String(error)}`);
      if (said !== null) wrong.push(said);
      process.stderr.write(said === null ? "." : "F");
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, hand));
  process.stderr.write("\n");
  return wrong;
}
