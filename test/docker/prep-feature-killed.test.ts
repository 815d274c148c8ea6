import { afterAll, beforeAll, expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script/script.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { everyNth } from "../helpers/every.js";
import { gitLine } from "../helpers/fake-git.js";
import { addedSeed, type Blow, expectWhole, firstSeed, holdUntil, stateOf } from "../helpers/held-interviews.js";
import { seedOf } from "../helpers/interviews.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

// a process that dies at any step of writing a seed down leaves none of it, or all of it

let model: Awaited<ReturnType<typeof startModel>>;
let answer: Turn;
let worker: Turn[] = [];

beforeAll(async () => {
  model = await startModel({
    interviewer: () => answer,
    worker: () => worker.shift() ?? { quiet: "Done." },
  });
});
afterAll(() => model?.[Symbol.asyncDispose]());

const killedAt = (from: string, fatal: number): Blow => ({ signal: "SIGKILL", from, fatal });
const unharmed = killedAt("", 0);

function opened(): Promise<CliStage> {
  return CliStage.open({ ...Tilth.endpoint(model), TILTH_PREP_MODEL: "scripted-interviewer" });
}

test("an interview killed at any step of its first seed leaves a session that is preparing or prepared", async () => {
  answer = seedOf([1]);
  const whole = await killedOn(0);
  expect(whole).toMatchObject({ code: 0, status: "prepared" });
  const outcomes = [whole.status];
  for (const fatal of everyNth(whole.steps.length, 16)) {
    const { code, status, steps } = await killedOn(fatal);
    expect(code, steps.at(-1)).toBe(null);
    outcomes.push(status);
  }
  expect(new Set(outcomes)).toEqual(new Set(["preparing", "prepared"]));
}, 600_000);

/** Kills the first seed on a machine of its own; a prepared session has to be whole. */
async function killedOn(fatal: number) {
  await using stage = await opened();
  const held = await holdUntil(stage, [], killedAt(firstSeed, fatal));
  const [id = ""] = stage.tilth.sessions();
  const { status } = stateOf(stage, id);
  if (status === "prepared") await expectWhole(stage, id, [1]);
  else expect(status).toBe("preparing");
  return { ...held, status };
}

test("the next interview removes what a killed one left", async () => {
  answer = seedOf([1]);
  await using stage = await opened();
  const { code } = await holdUntil(stage, [], killedAt("/prd.json", 1));
  expect(code).toBe(null);
  const [dead = ""] = stage.tilth.sessions();
  expect(stateOf(stage, dead).status).toBe("preparing");
  const next = await holdUntil(stage, ["--keep-existing"], unharmed);
  expect(next, next.stderr).toMatchObject({ code: 0 });
  expect(stage.tilth.sessions()).not.toContain(dead);
  expect(await gitLine(["branch", "--list", `session/${dead}`], { cwd: stage.source })).toBe("");
});

test("an append killed at any step leaves the session whole, with the new task or without it", async () => {
  await using stage = await opened();
  answer = seedOf([1]);
  await holdUntil(stage, [], unharmed);
  const [id = ""] = stage.tilth.sessions();
  const numbers = [1];
  answer = seedOf([2]);
  const { steps } = await holdUntil(stage, ["--append", id], killedAt(addedSeed(2), 0));
  numbers.push(2);
  await expectWhole(stage, id, numbers);
  const left = new Set<boolean>();
  for (const fatal of everyNth(steps.length, 13)) {
    const next = numbers.length + 1;
    answer = seedOf([next]);
    const last = stateOf(stage, id).last;
    const killed = await holdUntil(stage, ["--append", id], killedAt(addedSeed(next), fatal));
    expect(killed.code, killed.steps.at(-1)).toBe(null);
    answer = { quiet: "No." };
    const settled = await holdUntil(stage, ["--append", id], unharmed);
    expect(settled, settled.stderr).toMatchObject({ code: 1 });
    const taken = stateOf(stage, id).last !== last;
    if (taken) numbers.push(next);
    left.add(taken);
    await expectWhole(stage, id, numbers);
  }
  expect(left).toEqual(new Set([false, true]));
  worker = numbers.flatMap((number) => [...doing(number)]);
  const ran = await stage.tilth.run(["run", stage.source]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const verified = await stage.tilth.run(["verify", id]);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
}, 600_000);
