import { expect, test } from "vitest";
import { treeId } from "../../../../../runner/base/ids.js";
import { ParkingPlace } from "../../../../../runner/hands/roles/check/containers/parking-place.js";
import type { WarmCheck } from "../../../../../runner/hands/roles/check/containers/pool.js";

const [one, other] = [treeId("a".repeat(40)), treeId("b".repeat(40))];

function container() {
  const check = {
    container: { isLost: false },
    ended: false,
    [Symbol.asyncDispose]: async () => {
      check.ended = true;
    },
  };
  return check as typeof check & WarmCheck;
}

test("a container in which a tree ran serves only that tree, and ends when another one is asked for", async () => {
  await using place = new ParkingPlace();
  const [kept, unwanted] = [container(), container()];
  await place.put(kept, one);
  expect([place.hasClean, place.takeClean()]).toEqual([false, null]);
  expect(await place.takeOf(one)).toBe(kept);
  expect(kept.ended).toBe(false);
  await place.put(unwanted, one);
  expect(await place.takeOf(other)).toBe(null);
  expect(unwanted.ended).toBe(true);
});

test("a container in which nothing ran serves any request, and no tree in particular", async () => {
  await using place = new ParkingPlace();
  const clean = container();
  await place.put(clean, null);
  expect(place.hasClean).toBe(true);
  expect(await place.takeOf(one)).toBe(null);
  expect(place.takeClean()).toBe(clean);
  expect(place.hasClean).toBe(false);
});

test("a lost container serves nobody, and one that comes after the end is ended too", async () => {
  const place = new ParkingPlace();
  const [lost, late] = [container(), container()];
  lost.container.isLost = true;
  await place.put(lost, one);
  expect(await place.takeOf(one)).toBe(null);
  expect(lost.ended).toBe(true);
  await place[Symbol.asyncDispose]();
  await place.put(late, one);
  expect(late.ended).toBe(true);
});
