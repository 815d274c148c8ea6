import { expect, test } from "vitest";
import type { ProcessTable } from "../../../../runner/disk/processes.js";
import { isDead, isOurs, ownerOf, parseOwner } from "../../../../runner/hands/docker/container/owner.js";

const identity = { pid: 7, started: "100", boot_id: "b1", pid_ns: "n1", host: "h", machine: "m" };
const table = (alive: boolean, started: string | null = "100"): ProcessTable => ({
  self: () => identity,
  look: () => ({ alive, started }),
});
const own = ownerOf("/home/a/.tilth", table(true));

test("an owner is read back from its label unchanged", () => {
  expect(parseOwner(JSON.stringify(own))).toEqual(own);
  expect(parseOwner("garbage")).toBeNull();
  expect(parseOwner(undefined)).toBeNull();
});

test("containers of another home, user or machine are never judged", () => {
  expect(isOurs(own, own)).toBe(true);
  expect(isOurs(ownerOf("/home/b/.tilth", table(true)), own)).toBe(false);
  expect(isOurs({ ...own, uid: own.uid + 1 }, own)).toBe(false);
  expect(isOurs({ ...own, machine: "other" }, own)).toBe(false);
});

test.each([
  ["its process lives", own, table(true), false],
  ["its process is gone", own, table(false), true],
  ["its pid is another process now", own, table(true, "200"), true],
  ["the machine was started anew", { ...own, boot_id: "b0" }, table(true), true],
  ["it is of another pid namespace", { ...own, pid_ns: "n2" }, table(false), false],
  ["nobody can tell which boot it was", { ...own, boot_id: null }, table(false), false],
])("an owner is judged dead or alive rightly when %s", (_, owner, processes, dead) =>
  expect(isDead(owner, own, processes)).toBe(dead),
);
