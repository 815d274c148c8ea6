import type { z } from "zod";
import { TilthError } from "../../base/errors.js";
import type { findingSchema } from "../shapes/json-shapes.js";

export type Finding = Readonly<z.infer<typeof findingSchema>>;

/** Looks at one thing and reports what was seen, or what is wrong and the one thing to do about it. */
export async function finding(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, seen: await look(), remedy: "" };
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    return { name, ok: false, seen: error.message, remedy: error.hint };
  }
}
