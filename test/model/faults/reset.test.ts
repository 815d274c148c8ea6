import { expect, it } from "vitest";
import { resetMs } from "../../../runner/model/faults/reset.js";

const nowMs = Date.UTC(2030, 0, 1);
/** the server's clock is an hour behind this machine's */
const serverMs = nowMs - 3_600_000;

it.each<[string, number | null]>([
  ["6m0s", 360_000],
  ["1s", 1_000],
  ["20ms", 20],
  ["2m59.56s", 179_560],
  ["1h2m3s", 3_723_000],
  ["1d", 86_400_000],
  ["0", 0],
  [" 60 ", 60_000],
  ["1.5", 1_500],
  [String((serverMs + 40_000) / 1_000), 40_000],
  [String(serverMs + 40_000), 40_000],
  [new Date(serverMs + 40_000).toISOString(), 40_000],
  ["2029-12-31T23:00:40+00:00", 40_000],
  [new Date(serverMs - 1).toISOString(), 0],
  ["", null],
  ["soon", null],
  ["-5", null],
  ["5 minutes", null],
  ["6m0s later", null],
  ["1e3", null],
  ["2029-99-99T00:00:00Z", null],
  ["9".repeat(400), null],
  [`${"9".repeat(400)}s`, null],
  ["400d", null],
])("a reset of %j is %j milliseconds away", (text, inMs) => {
  expect(resetMs(text, { nowMs, serverMs })).toBe(inMs === null ? null : nowMs + inMs);
});
