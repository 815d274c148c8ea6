import { isMet, type Reading, type Unit } from "./line.js";
import type { Spread } from "./statistics.js";

/** The readings as text: one line each, with the measured values it was made from below. */
export function tableOf(readings: readonly Reading[]): string {
  const width = Math.max(...readings.map(({ what }) => what.length));
  return readings.map((reading) => rowOf(reading, width)).join("\n");
}

function rowOf(reading: Reading, width: number): string {
  const { what, value, bound, unit, of, note } = reading;
  const met = { true: "met", false: "NOT MET", null: "not measured" }[String(isMet(reading))];
  const head = `${what.padEnd(width)}  ${shown(value, unit).padStart(9)}  ≤ ${shown(bound, unit).padEnd(8)} ${met}`;
  const parts = Object.entries(of).map(([name, spread]) => `    ${name}: ${spreadText(spread, unit)}`);
  return [head, ...parts, ...(note === undefined ? [] : [`    ${note}`])].join("\n");
}

function spreadText({ median, p95, count }: Spread, unit: Unit): string {
  const of = unit === "MB" ? "MB" : "ms";
  return `median ${shown(median, of)}, p95 ${shown(p95, of)} (${count} times)`;
}

function shown(value: number | null, unit: Unit): string {
  if (value === null) return "–";
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return unit === "ratio" ? value.toFixed(2) : `${value.toFixed(digits)} ${unit}`;
}
