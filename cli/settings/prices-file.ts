import { join } from "node:path";
import { TilthError } from "../../runner/base/errors.js";
import { type Prices, pricesSchema } from "../../runner/base/prices.js";
import { sayIssue } from "../../runner/session/state/state-file.js";
import { shellWord } from "../../runner/source/git/shell-word.js";
import { oneLine } from "../../runner/text/sanitise.js";
import { readHostFile } from "./host-file.js";

const example = '{"v": 1, "models": {"<name>": {"input": 1.25, "cached": 0.125, "output": 10}}}';

/** The prices a person gives; empty if there is no prices.json. */
export function readPrices(home: string): Prices {
  const path = join(home, "prices.json");
  const anew = `move it away: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
  const text = readHostFile({ path, what: "the prices", maxKb: 256, anew });
  if (text === null) return {};
  const result = pricesSchema.safeParse(parsed(text, path));
  if (result.success) return result.data.models;
  throw malformed(path, `is not as it must be: ${oneLine(sayIssue(result.error), 200)}`, result.error);
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(path, "is not JSON", error);
  }
}

function malformed(path: string, problem: string, cause: unknown): TilthError {
  return new TilthError("usage", `${path} ${problem}`, `write US dollars per million tokens: ${example}`, cause);
}
