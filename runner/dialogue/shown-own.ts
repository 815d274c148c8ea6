import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Own } from "../model/port/model-client.js";

const opaque = /signature|encrypted|^data$|^id$/i;
const longestShown = 120;

type Json = z.core.util.JSONType;

/**
 * Prepares a provider's own fields for the log: signed, sealed or long values become hashes, which still tell them
 * apart.
 */
export function shownOwn({ fields, calls }: Own): Json {
  const ofMessage = Object.entries(fields).map(([name, value]) => [name, shown(value, name)] as const);
  const ofCalls = calls.some((call) => Object.keys(call).length > 0)
    ? [["calls", calls.map((call) => shown(call))]]
    : [];
  return Object.fromEntries([...ofMessage, ...ofCalls]);
}

function shown(value: unknown, name = ""): Json {
  if (typeof value === "string") return opaque.test(name) || value.length > longestShown ? hashed(value) : value;
  // what JSON.parse makes of 1e999 no JSON can hold again
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) return value.map((one) => shown(one, name));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one, key)]));
}

function hashed(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex").slice(0, 8)} (${text.length} characters)`;
}
