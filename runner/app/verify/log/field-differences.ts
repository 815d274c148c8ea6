import { oneLine } from "../../../text/sanitise.js";

export interface FieldDifference {
  /** `usage.total_tokens`, `checks["a b"].passed`, `tasks[2]`; empty if the values themselves differ */
  readonly field: string;
  readonly expected: string;
  readonly seen: string;
}

const longestShown = 200;

/** Lists every leaf at which two JSON values differ; a missing value is shown as "nothing". */
export function fieldDifferences(expected: unknown, seen: unknown, field = ""): readonly FieldDifference[] {
  if (isBranch(expected) && isBranch(seen) && Array.isArray(expected) === Array.isArray(seen)) {
    const [before, after] = [new Map(Object.entries(expected)), new Map(Object.entries(seen))];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
      fieldDifferences(before.get(key), after.get(key), joined(field, key, Array.isArray(expected))),
    );
  }
  const [wanted, found] = [JSON.stringify(expected), JSON.stringify(seen)];
  return wanted === found ? [] : [{ field, ...shownApart(wanted, found) }];
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function joined(field: string, key: string, isList: boolean): string {
  if (isList) return `${field}[${key}]`;
  if (/^\w+$/.test(key)) return field === "" ? key : `${field}.${key}`;
  return `${field}[${JSON.stringify(key)}]`;
}

/** Long texts are shown from shortly before the first difference. */
function shownApart(expected: string | undefined, seen: string | undefined): { expected: string; seen: string } {
  const [one, other] = [expected ?? "nothing", seen ?? "nothing"];
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const from = Math.max(one.length, other.length) <= longestShown ? 0 : Math.max(0, same - 40);
  const shown = (text: string) => `${from > 0 ? "…" : ""}${oneLine(text.slice(from), longestShown)}`;
  return { expected: shown(one), seen: shown(other) };
}
