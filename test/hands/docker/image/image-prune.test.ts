import { expect, test } from "vitest";
import { outdated } from "../../../../runner/hands/docker/image/image-prune.js";
import type { ListedImage } from "../../../../runner/hands/ports/images.js";

const image = (id: string, days: number, change: Partial<ListedImage> = {}): ListedImage => ({
  ...{ id, tags: [`tilth-hands:${id}`], recipe: id, base: "b", tools: [], bytes: 1, current: false },
  created: new Date(days * 86_400_000),
  ...change,
});
const current = image("now", 10, { current: true });

test("older hands images are removed, and nothing else", () => {
  const images = [
    current,
    image("old", 5),
    image("older", 1),
    image("newer", 11),
    image("own", 5, { tags: ["shop-hands:1"] }),
    image("both", 5, { tags: ["tilth-hands:both", "shop-hands:2"] }),
    image("untagged", 5, { tags: [] }),
    image("needed", 5),
  ];
  expect(outdated(images, new Set(["needed"])).map(({ id }) => id)).toEqual(["old", "older"]);
});

test("no image counts as older when none is in use", () => {
  expect(outdated([image("old", 5), image("new", 6)], new Set())).toEqual([]);
});
