import { expect, test } from "vitest";
import { pytestReport, reportAs } from "../../runner/hands/check-replies.js";

const report = (results: string) =>
  Buffer.from(
    `{"nonce":"n","exit":1,"finished":true,"results":[${results}],"collect_errors":[],"missing":[],"dropped":[],` +
      '"unserved":[],"installed_in":"image","reached":{},"opened":[],"ground":[]}',
  );

test("a report of hundreds of thousands of things that are no results is none, before each is complained of", () => {
  const bad = report(Array(300_000).fill("[]").join());
  const naive = pytestReport.safeParse(JSON.parse(bad.toString()));
  expect(naive.error?.issues).toHaveLength(1);
  const began = performance.now();
  expect(reportAs(pytestReport, bad)).toBeNull();
  expect(reportAs(pytestReport, report(Array(3_000_000).fill("[]").join()))).toBeNull();
  expect(performance.now() - began).toBeLessThan(5_000);
});

test("a report of a hundred thousand tests is read", () => {
  const results = Array.from({ length: 100_000 }, (_, at) => `{"id":"t${at}","outcome":"passed","text":"[,{"}`);
  expect(reportAs(pytestReport, report(results.join()))?.results).toHaveLength(100_000);
});
