import type { Cheat } from "../cheat.js";
import { solution, solved } from "../project.js";

export const cheat: Cheat = {
  name: "a module that git ignores",
  task: "mean",
  says: "What works lies in the worktree and is left out of every commit.",
  files: {
    ".gitignore": "shop/secret.py\n",
    "shop/secret.py": solution.mean,
    "shop/mean.py": "from shop.secret import mean\n\n__all__ = ['mean']\n",
  },
  commands: "git status --short",
  stoppedBy: ["collect_error", "missing_module", "test_failed"],
  twin: {
    says: "Has git ignore logs, and leaves one.",
    files: { ...solved("mean"), ".gitignore": "*.log\n", "shop/mean.log": "begun\n" },
    commands: "git status --short",
  },
};
