import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { configJsonSchema, doctorJsonSchema, sessionJsonSchema } from "../../runner/index.js";
import { SessionStore } from "../../runner/session/store.js";
import { Tilth } from "../helpers/tilth.js";

const noEngine = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

test("--json prints the shapes that docs/events.md gives", async () => {
  using tilth = new Tilth(noEngine);
  mkdirSync(tilth.home, { mode: 0o700 });
  const store = new SessionStore(hostPath(tilth.home));
  store.create({ source: hostPath("/somewhere"), baseCommit: commitId("a".repeat(40)) });
  mkdirSync(join(tilth.home, "sessions", "20250101-000000-abcdef"));
  const json = async (...args: string[]) => JSON.parse((await tilth.run([...args, "--json"])).stdout) as unknown;
  expect(configJsonSchema.parse(await json("config")).home).toBe(tilth.home);
  const rows = z.array(sessionJsonSchema).parse(await json("sessions"));
  expect(rows.map(({ status, problem }) => [status, problem === null])).toEqual([
    ["preparing", true],
    [null, false],
  ]);
  const doctor = doctorJsonSchema.parse(await json("doctor"));
  expect(doctor.findings.filter(({ ok }) => !ok).map(({ name }) => name)).toContain("engine");
});
