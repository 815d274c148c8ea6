import { z } from "zod";
import { said } from "./tool/fields.js";
import { Registry } from "./tool/registry.js";
import { tool } from "./tool/tool.js";

const item = "lamp oil";
/** A number that no model would guess. */
export const onShelf = 417;
export const priceInCents = 863;

const input = z.strictObject({
  item: said(200).describe("the name of the item, in lower case and in the singular, such as twine"),
});

/** Tools for trying out a model, in the shop that `prompts/trial.md` describes. They change nothing anywhere. */
export function trialTools(): Registry<null> {
  return new Registry<null>(
    [
      lookUp("items_on_shelf", "Tells how many of one item are on the shelf today.", `${onShelf} are on the shelf`),
      lookUp("price_of_item", "Tells what one of an item costs today, in cents.", `one costs ${priceInCents} cents`),
    ],
    [],
  );
}

function lookUp(name: string, description: string, found: string) {
  return tool<z.infer<typeof input>, null>({
    name,
    description,
    input,
    run: async ({ item: asked }) =>
      asked.trim().toLowerCase() === item ? `${item}: ${found}` : `there is no item of that name; there is ${item}`,
  });
}
