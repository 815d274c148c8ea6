import type { Engine } from "../runner/hands/docker/engine/engine.js";
import type { DockerImage } from "../runner/hands/docker/image/image-find.js";
import type { Settings } from "../runner/settings/settings.js";
import type { Spread } from "./statistics.js";

/** The means that every line is measured with. */
export interface Bench {
  /** a folder of this run, gone afterwards; the home of its sessions is in it */
  readonly folder: string;
  readonly settings: Settings;
  readonly engine: Engine;
  readonly image: DockerImage;
  readonly signal: AbortSignal;
  /** the number of turns to measure; fewer with --quick */
  times(full: number): number;
}

export type Unit = "ratio" | "ms" | "MB" | "s";

/** One number of the table and what it must not exceed. */
export interface Reading {
  readonly what: string;
  readonly unit: Unit;
  /** null if this machine cannot measure it; `note` says why */
  readonly value: number | null;
  readonly bound: number;
  readonly of: Readonly<Record<string, Spread>>;
  readonly note?: string;
}

export interface Line {
  readonly name: string;
  measure(bench: Bench): Promise<readonly Reading[]>;
}

export function isMet({ value, bound }: Reading): boolean | null {
  return value === null ? null : value <= bound;
}
