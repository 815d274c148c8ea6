import type { Stop } from "./context/outcome.js";
import type { RunContext } from "./context/run-context.js";
import { runTask } from "./task.js";

/** Runs task after task until none is left, one fails or a cap is met. Any other end is thrown as an error. */
export async function workThrough(run: RunContext): Promise<Stop> {
  for (;;) {
    run.signal.throwIfAborted();
    const task = run.plan().find(({ status }) => status !== "done");
    if (!task) return { reason: "all_done", detail: "", hint: "" };
    const cap = run.capMet();
    if (cap) return cap;
    const end = await runTask(run, task);
    run.summarise();
    if (end.kind === "capped") return end.stop;
    if (end.kind === "failed")
      return {
        reason: end.reason,
        detail: end.detail,
        hint: `see partial.patch and the ledger in the session's folder, then tilth resume ${run.files.id}`,
      };
  }
}
