import type { Checkpoint } from "../session/state/checkpoint.js";
import { shellWord } from "../source/git/shell-word.js";

interface Problem {
  /** the state of the session, as the end of a sentence */
  readonly message: string;
  readonly hint: string;
}

/**
 * Says why a session cannot be resumed; null if it can. A session that is all done is not refused: it just has nothing
 * left to do.
 */
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
