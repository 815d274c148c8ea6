import { expect, test } from "vitest";
import { againAfterSleep } from "../../../runner/hands/ports/after-sleep.js";
import { HandsLost } from "../../../runner/hands/ports/hands.js";

/** Loses its container that many times, and then works. */
function losing(times: number, asleep: boolean): () => Promise<string> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new HandsLost("clerk", "gone", { asleep });
    return "done";
  };
}

test("a call whose container ended in a sleep is repeated and reported, while a naive caller fails", async () => {
  await expect(losing(1, true)()).rejects.toThrow(HandsLost);
  const told: string[] = [];
  expect(await againAfterSleep(losing(4, true), ({ role }) => told.push(role))).toBe("done");
  expect(told).toEqual(Array.from({ length: 4 }, () => "clerk"));
});

test("a container that was lost in any other way counts as lost", async () => {
  await expect(againAfterSleep(losing(1, false))).rejects.toThrow(HandsLost);
});
