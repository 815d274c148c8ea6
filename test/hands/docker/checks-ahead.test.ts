import { expect, test } from "vitest";
import { startedAhead } from "../../../runner/hands/docker/checks-ahead.js";
import { type Container, NameTaken } from "../../../runner/hands/docker/container/container.js";

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

test("at most as many checks wait on an engine as it has cores, whoever they are for", async () => {
  const names = new Names();
  let own = 0;
  const ahead = () => startedAhead({ cores: 2, start: names.start, ownName: () => `own-${own++}` });
  const first = await ahead();
  expect([first, await ahead(), await ahead()].map(Boolean)).toEqual([true, true, false]);
  first?.taken();
  expect(await ahead()).not.toBeNull();
  expect(names.held).toEqual(["own-0", "tilth-check-ahead-1", "tilth-check-ahead-0"]);
});

test("a start that fails for another reason than a taken name is reported", async () => {
  const start = async () => Promise.reject(new Error("no engine"));
  await expect(startedAhead({ cores: 2, start, ownName: () => "own" })).rejects.toThrow("no engine");
});
