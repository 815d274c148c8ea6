import type { AssistantMessage, Message, Own } from "../port/model-client.js";
import type { Fields } from "./fields.js";

/**
 * Bounds one message, as JSON. A reply of thinking comes to some 300,000 characters; this is room for several of them.
 */
const mostChars = 2_000_000;
/** Deeper than any provider nests, and shallow enough for a recursive reader. */
const deepest = 64;
/** characters of a name that is only told */
const longestTold = 200;

export interface BoundedOwn {
  readonly own: Own | null;
  /** names of fields that were too large or nested too deep to be kept */
  readonly dropped: readonly string[];
}

interface Place {
  readonly name: string;
  readonly chars: number;
  readonly remove: () => void;
}

/** Keeps a provider's fields, except for those nested too deep and the largest ones beyond the bound. */
export function boundedOwn(by: string, fields: Fields, calls: readonly Fields[]): BoundedOwn {
  const message = { ...fields };
  const ofCalls = calls.map((call) => ({ ...call }));
  const dropped = tooMuch([message, ...ofCalls].flatMap(placesIn));
  for (const { remove } of dropped) remove();
  const isNothing = [message, ...ofCalls].every((kept) => Object.keys(kept).length === 0);
  return {
    own: isNothing ? null : { by, fields: message, calls: ofCalls },
    dropped: [...new Set(dropped.map(({ name }) => name.slice(0, longestTold)))],
  };
}

function placesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).map(([name, value]) => ({
    name,
    chars: isWithin(value, deepest) ? name.length + JSON.stringify(value).length : Number.POSITIVE_INFINITY,
    remove: () => delete holder[name],
  }));
}

function tooMuch(places: readonly Place[]): readonly Place[] {
  const [endless, others] = [places.filter(isEndless), places.filter((place) => !isEndless(place))];
  let chars = others.reduce((sum, place) => sum + place.chars, 0);
  const largest = others.toSorted((one, other) => other.chars - one.chars);
  const over = largest.filter((place) => {
    if (chars <= mostChars) return false;
    chars -= place.chars;
    return true;
  });
  return [...endless, ...over];
}

function isEndless({ chars }: Place): boolean {
  return chars === Number.POSITIVE_INFINITY;
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isWithin(one, levels - 1));
}

/** Another provider would refuse these fields, or believe them. */
export function ownFor({ own }: AssistantMessage, provider: string): Own | null {
  return own?.by === provider ? own : null;
}

/** Maps each id of ours that replaced a provider's to that provider's id. */
export function theirIds(messages: readonly Message[], provider: string): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const own = ownFor(message, provider);
    for (const [at, { id }] of message.calls.entries()) {
      const theirs = own?.calls[at]?.id;
      if (theirs !== undefined) ids.set(id, theirs);
    }
  }
  return ids;
}
