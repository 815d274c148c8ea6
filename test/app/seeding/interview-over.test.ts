import { describe, expect, it } from "vitest";
import { interviewModel } from "../../../runner/app/seeding/interview-over.js";
import type { Turn } from "../../../runner/demo/script/script.js";
import { JumpingClock } from "../../helpers/asking.js";
import { InterviewTrial } from "../../helpers/interview-trial.js";
import { seed } from "../../helpers/interview-turns.js";
import { loopSettings } from "../../helpers/loop-settings.js";
import { scratch } from "../../helpers/scratch.js";
import { endpointsOf, startModel } from "../../helpers/scripted-model.js";
import { StreamingFront } from "../../helpers/streaming-front.js";

const week = 7 * 86_400;
const weekly: Turn = { status: 429, headers: { "retry-after": String(week) } };
const session = "20300101-000000-abcdef";
const again = "tilth prep-feature '/code/shop' --force";

async function held(turns: readonly Turn[], waitForLimit: boolean) {
  await using model = await startModel({ interviewer: turns });
  const settings = { ...loopSettings(scratch(), {}), endpoints: endpointsOf(model.baseUrl), waitForLimit };
  const onProgress = () => undefined;
  const client = interviewModel({ settings, session, clock: new JumpingClock(), again, onProgress });
  const trial = new InterviewTrial([], { client });
  const end = await trial.hold().catch((error: unknown) => error);
  return { end, waits: trial.events.of("limit_wait"), asked: model.requests.length };
}

it("an observer is told of a streamed reply as it comes in", async () => {
  await using model = await startModel({ interviewer: [{ calls: [seed()] }] });
  await using front = await StreamingFront.start(model.baseUrl, { bytes: 200 });
  const told: number[] = [];
  const settings = { ...loopSettings(scratch(), {}), endpoints: endpointsOf(front.baseUrl), stream: true };
  const onProgress = (chars: number) => told.push(chars);
  const client = interviewModel({ settings, session, clock: new JumpingClock(), again, onProgress });
  expect(await new InterviewTrial([], { client }).hold()).toEqual({ kind: "prepared" });
  expect(told[0]).toBeGreaterThan(0);
});

describe("a limit longer than an outage may last", () => {
  it("ends an interview at once, with the commands that hold it again", async () => {
    const { end, waits, asked } = await held([weekly, { calls: [seed()] }], false);
    expect(end).toMatchObject({
      code: "infra",
      message: expect.stringContaining("asks to wait 604800 s, until "),
      hint: `After that: ${again}; ${again} --wait-for-limit waits until then by itself.`,
    });
    expect([waits, asked]).toEqual([[], 1]);
  });

  it("is waited for when the person wants it, and the interview goes on", async () => {
    const { end, waits, asked } = await held([weekly, { calls: [seed()] }], true);
    expect(end).toEqual({ kind: "prepared" });
    expect(waits).toEqual([expect.objectContaining({ phase: "interview", uncounted: true })]);
    expect(waits[0]?.wait_ms).toBeGreaterThan(week * 1_000 - 100);
    expect(waits[0]?.wait_ms).toBeLessThan((week + 6) * 1_000);
    expect(asked).toBe(2);
  });
});
