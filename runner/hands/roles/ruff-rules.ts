import { oneLine } from "../../text/sanitise.js";
import type { RuffRules } from "../ports/checks/ruff.js";
import { containerPaths } from "../ports/container-paths.js";

/** A project's settings for ruff, from all its configuration files together. */
export interface RuffConfiguration {
  readonly configured: boolean;
  readonly selects: boolean;
  /** selected beside the default rules */
  readonly more: readonly string[];
  readonly ignored: readonly string[];
  /** the project's own ruff when its environment has one, else the image's */
  readonly ruff: { readonly program: string; readonly version: string; readonly own: boolean };
}

const pinned = ["E4", "E7", "E9", "F"] as const;

/** The rules in force when a project has none of its own. */
export const pinnedRules: RuffRules = {
  program: `${containerPaths.tools}/ruff`,
  args: ["--isolated", "--select", pinned.join(",")],
  refused: null,
};

/** Pins the default selection, because later ruffs select more; a project's own ruff keeps its default. */
export function rulesOf({ configured, selects, more, ignored, ruff }: RuffConfiguration): RuffRules {
  if (!configured) return pinnedRules;
  const { program } = ruff;
  if (selects || ruff.own) return { program, args: [], refused: null };
  // a selection on the command line overrides what the files ignore
  const ignore = ignored.length > 0 ? ["--ignore", ignored.join(",")] : [];
  return { program, args: ["--select", [...pinned, ...more].join(","), ...ignore], refused: null };
}

/** Returns the pinned rules for a project whose configuration ruff refuses, with a sentence that says why. */
export function rulesWithout({ ruff }: RuffConfiguration, problem: string): RuffRules {
  const remedy = ruff.own
    ? "let its dependencies name another ruff, or correct it"
    : "name the ruff that it is written for among the project's development dependencies, or correct it";
  const refused = `ruff ${ruff.version} of the ${ruff.own ? "environment" : "image"} refuses the project's configuration (${whyIn(problem)}), so checks keep to the rules ${pinned.join(", ")}; to have its own rules, ${remedy}`;
  return { ...pinnedRules, refused };
}

/** Runs ruff only to look: whatever a configuration says, it fixes nothing, reports all and leaves no cache. */
export function ruffCheck({ program, args }: RuffRules, ...more: readonly string[]): readonly string[] {
  return [program, "check", "--no-fix", "--no-fix-only", "--no-cache", ...more, ...args];
}

/** ruff prints its causes one below the other, with a drawing of the line. */
function whyIn(problem: string): string {
  const lines = problem.split("\n").map((line) => line.replace(/^\s*(Cause: )?/, "").replaceAll("/workspace/", ""));
  const said = lines.filter((line) => line !== "ruff failed" && !/^(\d*\s*\||$)/.test(line));
  return oneLine(said.join("; "), 300);
}
