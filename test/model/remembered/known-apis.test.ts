import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ApisFile } from "../../../runner/model/remembered/known-apis.js";
import { scratch } from "../../helpers/scratch.js";
import { endpointsOf } from "../../helpers/scripted-model.js";

const { worker, evaluator } = endpointsOf("http://127.0.0.1:9/v1");

it("the next run knows an endpoint's interface, for that address and model alone", () => {
  const home = scratch();
  new ApisFile(home).keep(worker, "responses");
  const next = new ApisFile(home);
  expect([next.of(worker), next.of(evaluator), next.of({ ...worker, baseUrl: "http://127.0.0.1:8/v1" })]).toEqual([
    "responses",
    null,
    null,
  ]);
  next.keep(worker, "chat");
  expect(new ApisFile(home).of(worker)).toBe("chat");
  expect(readFileSync(join(home, "apis.json"), "utf8")).not.toContain("CANARY");
});

it("a torn file, and one that cannot be written, count as absent", () => {
  const torn = scratch();
  writeFileSync(join(torn, "apis.json"), '{"v": 1, "apis": [{');
  expect(new ApisFile(torn).of(worker)).toBeNull();
  const folder = scratch();
  mkdirSync(join(folder, "apis.json"));
  const file = new ApisFile(folder);
  file.keep(worker, "responses");
  expect(file.of(worker)).toBeNull();
});

it("the file holds the two hundred interfaces that were learned last", () => {
  const file = new ApisFile(scratch());
  for (let n = 0; n < 201; n += 1) file.keep({ ...worker, model: `model-${n}` }, "responses");
  const known = (n: number) => file.of({ ...worker, model: `model-${n}` });
  expect([known(0), known(1), known(200)]).toEqual([null, "responses", "responses"]);
});
