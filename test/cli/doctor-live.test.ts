import { describe, expect, test } from "vitest";
import { doctorLiveJsonSchema } from "../../runner/index.js";
import { canaryKey, startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";
import { triedOut } from "../helpers/trials.js";

const noEngine = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

describe("doctor --live", () => {
  test("says what it spends, asks each model once, and shows a table, or the same as JSON", async () => {
    await using model = await startModel({ worker: triedOut, evaluator: triedOut });
    using tilth = new Tilth({ ...noEngine, ...Tilth.endpoint(model) });
    const { code, stdout, stderr } = await tilth.run(["doctor", "--live"]);
    // there is no engine here
    expect(code).toBe(1);
    expect(stderr).toMatch(/^asking for real now: this spends a few thousand tokens for each of 2 models\n/);
    expect(stderr).toContain("worker, interviewer (scripted-worker), request 1: a question to be looked up\n");
    expect(stdout).toMatch(/^ok {2}exchange: evaluator: "scripted-evaluator" at \S+ called a tool/m);
    expect(stdout).not.toMatch(/^ok {2}endpoint/m);
    expect(stdout).toMatch(/^parallel calls +both in one reply +both in one reply$/m);
    expect(stdout + stderr).not.toContain(canaryKey);
    expect(model.requests).toHaveLength(4);
    const said = JSON.parse((await tilth.run(["doctor", "--live", "--json"])).stdout);
    const { live, findings } = doctorLiveJsonSchema.parse(said);
    expect(live.map(({ roles, finished }) => [roles, finished])).toEqual([
      [["worker", "interviewer"], true],
      [["evaluator"], true],
    ]);
    expect(findings.filter(({ name }) => name === "exchange").map(({ ok }) => ok)).toEqual([true, true]);
  });

  test("shows no key when an endpoint refuses it, and makes no session", async () => {
    await using model = await startModel({ worker: [{ status: 401, body: `no such key: ${canaryKey}` }] });
    using tilth = new Tilth({ ...noEngine, ...Tilth.endpoint(model), TILTH_EVALUATOR_MODEL: "scripted-worker" });
    const { stdout, stderr } = await tilth.run(["doctor", "--live", "--json"]);
    expect(stdout + stderr).not.toContain(canaryKey);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, live: [{ finished: false }] });
    expect(tilth.sessions()).toEqual([]);
  });

  test("asks nobody when no model is set", async () => {
    using tilth = new Tilth(noEngine);
    const { code, stdout, stderr } = await tilth.run(["doctor", "--live", "--json"]);
    expect([code, stderr, JSON.parse(stdout).live]).toEqual([1, "", []]);
  });

  test("ends with 130 when it is interrupted while a model thinks", async () => {
    await using model = await startModel({ worker: [{ hang: true }] });
    using tilth = new Tilth({ ...noEngine, ...Tilth.endpoint(model) });
    const running = tilth.start(["doctor", "--live"]);
    await running.said(/request 1/);
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 130,
      stdout: "",
      stderr: expect.stringMatching(/tilth: interrupted\n$/),
    });
  });
});
