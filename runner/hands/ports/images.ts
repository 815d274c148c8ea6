import type { HandsImage } from "./hands.js";

/** The images that sandboxes start from. */
export interface Images {
  /** Builds the image of this tilth, whether or not there is one already. */
  build(say: (line: string) => void, signal: AbortSignal): Promise<HandsImage>;
  /** Lists every image of ours, the newest first. */
  list(signal: AbortSignal): Promise<readonly ListedImage[]>;
  /** Removes images of older recipes but for those that are needed, by their ids. */
  prune(needed: ReadonlySet<string>, signal: AbortSignal): Promise<PrunedImages>;
  /** Compares the image that sessions use with what it is made from. */
  verify(signal: AbortSignal): Promise<ImageVerification>;
}

export interface PrunedImages {
  readonly removed: readonly string[];
  /** tags of images that something still needs */
  readonly inUse: readonly string[];
}

export interface ListedImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly recipe: string;
  readonly base: string;
  readonly tools: readonly string[];
  readonly bytes: number;
  readonly created: Date;
  /** true for the image that sessions use now */
  readonly current: boolean;
}

export interface Comparison {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  readonly same: boolean;
}

export interface ImageVerification {
  readonly image: string;
  /** the scope of the comparison, in a sentence */
  readonly compares: string;
  readonly comparisons: readonly Comparison[];
  readonly same: boolean;
}
