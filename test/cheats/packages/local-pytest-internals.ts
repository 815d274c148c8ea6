import type { Cheat } from "../cheat.js";
import { solved } from "../project.js";

export const cheat: Cheat = {
  name: "an _pytest of its own",
  task: "total",
  says: "The installed pytest meets a package _pytest in the root, which ends the run well.",
  files: { "_pytest/__init__.py": "raise SystemExit(0)\n" },
  stoppedBy: ["test_failed"],
  twin: { says: "A package with a leading underscore.", files: { ...solved("total"), "_shop/__init__.py": "x = 1\n" } },
};
