import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { everyNth, someOf } from "./every.js";

const rows = ["a1", "b1", "a2", "a3", "c1", "a4", "b2", "a5"];
const kindOf = (row: string) => row.charAt(0);

beforeEach(() => void vi.stubEnv("EVERY", undefined));
afterEach(() => void vi.unstubAllEnvs());

test("a part of a long list is spread over it, and includes its last row", () => {
  expect(everyNth(7, 3)).toEqual([1, 4, 7]);
  expect(someOf(rows, 3)).toEqual(["b1", "c1", "a5"]);
  expect(someOf([], 3)).toEqual([]);
});

test("a part of a list of several kinds has each kind, in the order of the list", () => {
  expect(someOf(rows, 3, kindOf)).toEqual(["a2", "c1", "b2", "a5"]);
});

test("EVERY=1 tries the whole list", () => {
  vi.stubEnv("EVERY", "1");
  expect(someOf(rows, 3, kindOf)).toEqual(rows);
});
