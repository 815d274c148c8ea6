const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const part = /(\d+(?:\.\d+)?)(ms|[dhms])/g;
const duration = /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/;
/** larger numbers of seconds are dates since 1970 */
const firstDate = 1e9;
const firstDateInMs = 1e11;
/** nobody limits for longer */
const longestMs = 366 * unitMs.d;

/** The current moment by this machine's clock and by the sender's. */
export interface Times {
  readonly nowMs: number;
  readonly serverMs: number;
}

/**
 * Both are in milliseconds. The sender's clock may be off, so its dates are compared with the date that it sent along.
 */
export function timesOf(headers: Headers, nowMs: number): Times {
  const serverMs = Date.parse(headers.get("date") ?? "");
  return { nowMs, serverMs: Number.isNaN(serverMs) ? nowMs : serverMs };
}

/**
 * Returns the moment that a reset header names, by this machine's clock. The header holds a length of time (`6m0s`,
 * `20ms`, or seconds) or a date (RFC 3339, or seconds or milliseconds since 1970). Returns null for everything else,
 * and for a moment too far off for any limit.
 */
export function resetMs(text: string, times: Times): number | null {
  const inMs = msUntil(text.trim(), times.serverMs);
  return inMs === null || inMs > longestMs ? null : Math.ceil(times.nowMs + Math.max(0, inMs));
}

function msUntil(text: string, serverMs: number): number | null {
  if (duration.test(text)) return [...text.matchAll(part)].reduce((sum, [, n, unit]) => sum + lengthOf(n, unit), 0);
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    if (number >= firstDateInMs) return number - serverMs;
    return number >= firstDate ? number * 1_000 - serverMs : number * 1_000;
  }
  const date = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : date - serverMs;
}

function lengthOf(number = "", unit = ""): number {
  return Number(number) * (Object.entries(unitMs).find(([name]) => name === unit)?.[1] ?? 0);
}

/** Tells whether anybody can wait for a limit that ends so far off. */
export function isWaitable(ms: number): boolean {
  return ms <= longestMs;
}
