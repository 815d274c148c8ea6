import { z } from "zod";

export const count = z.int().nonnegative();
export const texts = z.array(z.string());
/** texts in what the brain sends */
export const givenTexts = texts.readonly();
/** An object that goes over the wire, under the name that its type has in Python. */
export function shape<Fields extends z.core.$ZodLooseShape>(name: string, fields: Fields) {
  return z.object(fields).meta({ id: name });
}
