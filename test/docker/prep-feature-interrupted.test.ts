import { afterAll, beforeAll, expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script/script.js";
import { CliStage } from "../helpers/cli-stage.js";
import { everyNth } from "../helpers/every.js";
import { addedSeed, type Blow, expectWhole, firstSeed, holdUntil, stateOf } from "../helpers/held-interviews.js";
import { seedOf } from "../helpers/interviews.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

// Ctrl-C at any step of writing a seed down leaves none of it or all of it, and the output says which; EVERY=1 tries
// all steps

let model: Awaited<ReturnType<typeof startModel>>;
let answer: Turn;

beforeAll(async () => {
  model = await startModel({ interviewer: () => answer });
});
afterAll(() => model?.[Symbol.asyncDispose]());

function opened(): Promise<CliStage> {
  return CliStage.open({ ...Tilth.endpoint(model), TILTH_PREP_MODEL: "scripted-interviewer" });
}

const interruptedAt = (from: string, fatal: number): Blow => ({ signal: "SIGINT", from, fatal });

test("an interview interrupted at any step of its first seed leaves nothing, or a prepared session", async () => {
  answer = seedOf([1]);
  await using first = await opened();
  const { steps } = await holdUntil(first, [], interruptedAt(firstSeed, 0));
  await using stage = await opened();
  const before = await stage.traces();
  const left = new Set<string>();
  for (const fatal of everyNth(steps.length, 17)) {
    const blow = interruptedAt(firstSeed, fatal);
    const { code, stdout, stderr, ...held } = await holdUntil(stage, ["--keep-existing"], blow);
    expect(held.steps.length).toBeGreaterThanOrEqual(fatal);
    const fresh = stage.tilth.sessions().filter((id) => !before.sessions.includes(id));
    const where = `${steps[fatal - 1]}\n${stderr}`;
    left.add(`${code} ${fresh.length}`);
    if (fresh.length === 0) {
      expect(code, where).toBe(130);
      expect(stderr, where).toContain("nothing of it is left\ntilth: interrupted");
      expect(await stage.traces(), where).toEqual(before);
      continue;
    }
    const [id = ""] = fresh;
    expect(code, where).toBe(0);
    expect(stdout, where).toContain(`session ${id} is prepared: 1 task`);
    await expectWhole(stage, id, [1]);
    Object.assign(before, await stage.traces());
  }
  expect(left).toEqual(new Set(["130 0", "0 1"]));
}, 900_000);

test("an append interrupted at any step leaves the session whole, with the new task or without it", async () => {
  await using stage = await opened();
  answer = seedOf([1]);
  await holdUntil(stage, [], interruptedAt("", 0));
  const [id = ""] = stage.tilth.sessions();
  const numbers = [1];
  answer = seedOf([2]);
  const { steps } = await holdUntil(stage, ["--append", id], interruptedAt(addedSeed(2), 0));
  numbers.push(2);
  const left = new Set<string>();
  for (const fatal of everyNth(steps.length, 12)) {
    const next = numbers.length + 1;
    answer = seedOf([next]);
    const blow = interruptedAt(addedSeed(next), fatal);
    const { code, stdout, stderr, ...held } = await holdUntil(stage, ["--append", id], blow);
    expect(held.steps.length).toBeGreaterThanOrEqual(fatal);
    const taken = stateOf(stage, id).ids.length > numbers.length;
    if (taken) numbers.push(next);
    const where = `${steps[fatal - 1]}\n${stderr}`;
    left.add(`${code} ${taken}`);
    expect(code, where).toBe(taken ? 0 : 130);
    if (taken) expect(stdout, where).toContain(`session ${id} is prepared: 1 more task`);
    else expect(stderr, where).toContain(`session ${id} has only the tasks it had before\ntilth: interrupted`);
    await expectWhole(stage, id, numbers, where);
  }
  expect(left).toEqual(new Set(["130 false", "0 true"]));
}, 900_000);
