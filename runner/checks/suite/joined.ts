import type { CheckRequest } from "../../hands/ports/checks.js";
import { baseOf } from "../expectations.js";
import { type Baseline, fileOf } from "./baseline.js";
import { isHeld } from "./suspects.js";

interface AddedTests {
  readonly request: Pick<CheckRequest, "added">;
  readonly seen: readonly { readonly id: string; readonly outcome: string }[];
}

/** Names tests of added or altered files that pass with all parameters: they are held from the change's commit on. */
export function joinedBy({ request, seen }: AddedTests, baseline: Baseline): readonly string[] {
  const added = new Set(request.added);
  const own = seen.filter(({ id }) => added.has(fileOf(id)));
  const bad = new Set(own.filter(({ outcome }) => outcome === "failed" || outcome === "error").map(nameOf));
  const good = own.filter(({ outcome }) => outcome === "passed").map(nameOf);
  return [...new Set(good)].filter((name) => !bad.has(name) && !isHeld(baseline, name));
}

function nameOf({ id }: { readonly id: string }): string {
  return baseOf(id);
}
