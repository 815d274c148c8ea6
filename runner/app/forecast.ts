import { TilthError } from "../base/errors.js";
import type { SessionId } from "../base/ids.js";
import { errnoCode } from "../disk/disk-trouble.js";
import { isSameModel } from "../model/wire/same-model.js";
import type { SessionRow } from "../session/listing.js";
import type { SessionStore } from "../session/store.js";
import type { Summary } from "../session/summary/summary-schema.js";
import { countedTokens } from "../session/summary/usage.js";
import type { Caps, ModelSettings } from "../settings/settings.js";

/** A summary is small to read, but old sessions say little about how a source is now. */
const mostSessions = 20;
/** Fewer accepted tasks say nothing about the next one. */
const leastTasks = 3;

/** A forecast from the median, the smallest and the largest amount that one accepted task took. */
export interface Spread {
  readonly about: number;
  readonly least: number;
  readonly most: number;
}

export interface Forecast {
  /** tasks still to be done */
  readonly tasks: number;
  /** number of accepted tasks the forecast is based on */
  readonly goingBy: number;
  /** true if the worker model that is set now did those tasks; otherwise no task is known to be by it */
  readonly bySameModel: boolean;
  /** as TILTH_MAX_TOKENS counts them */
  readonly tokens: Spread;
  /** US dollars; null if too few costs are known */
  readonly cost: Spread | null;
  readonly minutes: Spread;
  /** caps that leave less than the forecast says is needed */
  readonly beyond: readonly Beyond[];
}

export interface Beyond {
  readonly setting: "TILTH_MAX_TOKENS" | "TILTH_MAX_COST_USD" | "TILTH_MAX_WALL_CLOCK_MINUTES";
  readonly left: number;
}

type Receipt = Summary["receipts"][number];
type Row = Pick<SessionRow, "source" | "tasks" | "tokens" | "cost">;

/**
 * Forecasts how much the open tasks of a session will take, from what sessions of the same source recorded, including
 * its own earlier runs. Returns null if too little is known or readable: a forecast never holds up a run.
 */
export function forecastOf(row: Row, store: SessionStore, settings: ModelSettings): Forecast | null {
  const tasks = (row.tasks?.pending ?? 0) + (row.tasks?.failed ?? 0);
  if (row.source === null || tasks === 0) return null;
  const all = receiptsOf(store, row.source);
  const same = all.filter(isBy(settings.endpoints.worker.model));
  const bySameModel = same.length > 0;
  const receipts = bySameModel ? same : all;
  const tokens = spread(receipts.map(tokensOf), tasks);
  const minutes = spread(
    receipts.map(({ ms }) => ms / 60_000),
    tasks,
  );
  if (tokens === null || minutes === null) return null;
  const cost = spread(
    receipts.flatMap((receipt) => receipt.cost ?? []),
    tasks,
  );
  const taken = { tokens, cost, minutes };
  return { tasks, goingBy: receipts.length, bySameModel, ...taken, beyond: beyondOf(taken, row, settings.caps) };
}

function receiptsOf(store: SessionStore, source: string): readonly Receipt[] {
  const ids = readable(() => store.ofSource(source).slice(0, mostSessions));
  return ids.flatMap(({ id }) => readable(() => receiptsIn(store, id)));
}

function receiptsIn(store: SessionStore, id: SessionId): readonly Receipt[] {
  return store.open(id).loadSummary()?.receipts ?? [];
}

/** A summary that cannot be read counts as empty. */
function readable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof TilthError || errnoCode(error) !== null) return [];
    throw error;
  }
}

function isBy(model: string): (receipt: Receipt) => boolean {
  return ({ worker_model: by }) => typeof by === "string" && isSameModel(model, by);
}

function tokensOf({ tokens, cached_tokens }: Receipt): number {
  return Math.max(0, countedTokens({ total_tokens: tokens, cached_tokens }));
}

/** Scales one task's amounts to `tasks` tasks; null if there are too few to go by. */
function spread(ofOne: readonly number[], tasks: number): Spread | null {
  const sorted = ofOne.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined || sorted.length < leastTasks) return null;
  return { about: median(sorted) * tasks, least: least * tasks, most: most * tasks };
}

function median(sorted: readonly number[]): number {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? 0) + (high ?? 0)) / 2;
}

function beyondOf(
  { tokens, cost, minutes }: Pick<Forecast, "tokens" | "cost" | "minutes">,
  used: Pick<Row, "tokens" | "cost">,
  caps: Caps,
): readonly Beyond[] {
  const left = (limit: number, soFar: number | null) => Math.max(0, limit - (soFar ?? 0));
  const of = (setting: Beyond["setting"], taken: Spread | null, leftOver: number | null): readonly Beyond[] =>
    taken !== null && leftOver !== null && taken.about > leftOver ? [{ setting, left: leftOver }] : [];
  return [
    ...of("TILTH_MAX_TOKENS", tokens, left(caps.maxTokens, used.tokens)),
    ...of("TILTH_MAX_COST_USD", cost, caps.maxCostUsd === null ? null : left(caps.maxCostUsd, used.cost)),
    // the time cap starts afresh with each run
    ...of("TILTH_MAX_WALL_CLOCK_MINUTES", minutes, caps.maxWallClockMinutes),
  ];
}
