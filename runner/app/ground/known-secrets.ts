import type { Settings } from "../../base/settings.js";
import { Masker } from "../../text/mask.js";

/** Of all that nobody may read who reads what a session leaves behind. */
export function maskerOf({ endpoints, packages }: Pick<Settings, "endpoints" | "packages">): Masker {
  const keys = Object.values(endpoints ?? {}).map(({ apiKey }) => apiKey);
  return new Masker([...keys, ...packages.indexes.flatMap(secretsIn)]);
}

/** The password that stands in an address; where there is none, the name in front of it is a token. */
export function secretsIn(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  const secret = password || username;
  return [secret, decoded(secret)].filter((form) => form !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
