import { expect, test } from "vitest";
import { z } from "zod";
import { pytestReport } from "../../../../../runner/hands/pipe/wire/check.js";
import { reportAs } from "../../../../../runner/hands/roles/check/containers/replies.js";

const schema = z.strictObject({ results: pytestReport.shape.results });
const report = (results: readonly string[]) => Buffer.from(`{"results":[${results.join()}]}`);

test("a report of hundreds of thousands of invalid results is refused without a complaint about each", () => {
  const bad = report(Array(300_000).fill("[]"));
  const naive = z.array(z.strictObject({ id: z.string() })).safeParse(JSON.parse(bad.toString()).results);
  expect(naive.error?.issues).toHaveLength(300_000);
  expect(schema.safeParse(JSON.parse(bad.toString())).error?.issues).toHaveLength(1);
  expect(reportAs(schema, bad)).toBeNull();
  const most = report(Array(3_000_000).fill("[]"));
  expect([JSON.parse(most.toString()).results.length, reportAs(schema, most)]).toEqual([3_000_000, null]);
});

test("a report of a hundred thousand tests is read", () => {
  const results = Array.from({ length: 100_000 }, (_, at) => `{"id":"t${at}","outcome":"passed","text":"[,{"}`);
  expect(reportAs(schema, report(results))?.results).toHaveLength(100_000);
});
