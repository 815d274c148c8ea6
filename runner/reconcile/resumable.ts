import type { Checkpoint } from "../session/checkpoint.js";
import { shellWord } from "../source/shell-word.js";

interface Problem {
  /** what the session is */
  readonly message: string;
  readonly hint: string;
}

/** Why there is nothing to go on with; null when there is. What is all done is not refused here: it has nothing left to do. */
export function unresumable(
  { id, status, source }: Checkpoint,
  { hasTasks }: { readonly hasTasks: boolean },
): Problem | null {
  if (status === "prepared") return { message: "has not been run yet", hint: `tilth run --session ${id}` };
  if (status === "preparing" || !hasTasks)
    return {
      message: status === "failed" ? "has no tasks, because its interview failed" : "was never prepared",
      hint: `tilth reset ${id}, or tilth prep-feature ${shellWord(source)} --force`,
    };
  return null;
}
