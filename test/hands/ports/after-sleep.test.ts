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

test("a container that ended in a sleep ends what a naive caller does, and here it is done again and told of", async () => {
  await expect(losing(1, true)()).rejects.toThrow(HandsLost);
  const told: string[] = [];
  expect(await againAfterSleep(losing(4, true), ({ role }) => told.push(role))).toBe("done");
  expect(told).toEqual(Array.from({ length: 4 }, () => "clerk"));
});

test("one that was lost in any other way is lost", async () => {
  await expect(againAfterSleep(losing(1, false))).rejects.toThrow(HandsLost);
});
