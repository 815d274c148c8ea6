import type { Settings } from "../../settings/settings.js";
import { Masker } from "../../text/mask.js";

/** Masks known secrets in everything a session writes. */
export function maskerOf({ endpoints, packages }: Pick<Settings, "endpoints" | "packages">): Masker {
  const keys = Object.values(endpoints ?? {}).map(({ apiKey }) => apiKey);
  return new Masker([...keys, ...packages.indexes.flatMap(secretsIn)]);
}

/** Returns the password in an address, or the user name if there is no password: then it is a token. */
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
