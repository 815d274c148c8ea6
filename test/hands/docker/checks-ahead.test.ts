import { expect, test } from "vitest";
import { startsAhead } from "../../../runner/hands/docker/checks-ahead.js";
import { type Container, NameTaken } from "../../../runner/hands/docker/container/container.js";

const never = new AbortController().signal;

/** An engine that gives a name to only one container at a time. */
class Names {
  readonly held: string[] = [];

  readonly start = async (name: string): Promise<Container> => {
    if (this.held.includes(name)) throw new NameTaken(name);
    this.held.push(name);
    const rename = async (to: string) => void this.held.splice(this.held.indexOf(name), 1, to);
    return { rename } as unknown as Container;
  };
}

test("no more checks wait on an engine than it has cores, whoever they are for", async () => {
  const names = new Names();
  let own = 0;
  const taken: Container[] = [];
  const noted = { ownName: () => `own-${own++}`, taken: (container: Container) => void taken.push(container) };
  const aheadOf = () => startsAhead({ cores: 2, start: names.start, ...noted });
  const [one, other, third] = [aheadOf(), aheadOf(), aheadOf()];
  const first = await one(never);
  expect([first, await other(never), await third(never)].map(Boolean)).toEqual([true, true, false]);
  expect(taken).toEqual([]);
  first?.taken();
  expect(taken).toEqual([first?.container]);
  expect(await third(never)).not.toBeNull();
  expect(names.held).toEqual(["own-0", "tilth-check-ahead-1", "tilth-check-ahead-0"]);
});

test("another failure than a name that is taken is not passed over", async () => {
  const start = async () => Promise.reject(new Error("no engine"));
  await expect(startsAhead({ cores: 2, start, ownName: () => "own", taken: () => {} })(never)).rejects.toThrow(
    "no engine",
  );
});
