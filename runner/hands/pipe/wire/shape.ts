import { z } from "zod";
import { listOf } from "../../../text/bounded-json.js";

export const count = z.int().nonnegative();
export const texts = z.array(z.string());
/** texts in what the brain sends */
export const givenTexts = texts.readonly();
/** texts in what hostile code may have written, in any number */
export const words = listOf(z.string());

/** An object that goes over the wire, under the name that its type has in Python. */
export function shape<Fields extends z.core.$ZodLooseShape>(name: string, fields: Fields) {
  return z.object(fields).meta({ id: name });
}

/** A shape that has no field beside its own. */
export function strictShape<Fields extends z.core.$ZodLooseShape>(name: string, fields: Fields) {
  return z.strictObject(fields).meta({ id: name });
}
