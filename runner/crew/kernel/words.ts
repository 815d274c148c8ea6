export const roles = ["pm", "developer", "techartist", "qa", "gamedesigner"] as const;
export type Role = (typeof roles)[number];
/** Every role but the PM. */
export type Worker = Exclude<Role, "pm">;
/** The roles that items are given to. */
export const makers = ["developer", "techartist", "gamedesigner"] as const;
export type Maker = (typeof makers)[number];
/** Whoever may ask the kernel for something. */
export const actors = [...roles, "supervisor", "person"] as const;
export type Actor = (typeof actors)[number];

/** In the order in which an item goes through them. */
export const itemStatuses = [
  "pending",
  "assigned",
  "in_progress",
  "awaiting_qa",
  "needs_fixes",
  "blocked",
  "passed",
  "in_retrospective",
  "retrospective_synthesized",
  "playtest_phase",
  "playtest_complete",
  "prd_refinement",
  "task_ready",
  "skill_research",
  "completed",
] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** Whether QA has passed it, whatever still follows. */
export function passes(status: ItemStatus): boolean {
  return itemStatuses.indexOf(status) >= itemStatuses.indexOf("passed");
}

/** From being given to somebody until QA has passed it: what it touches belongs to it. */
const active: ReadonlySet<ItemStatus> = new Set(["assigned", "in_progress", "awaiting_qa", "needs_fixes"]);

export function isActive(status: ItemStatus): boolean {
  return active.has(status);
}

/** Somebody has it in hand. */
export function isHeld(status: ItemStatus): boolean {
  return status === "assigned" || status === "in_progress";
}

export const roleStatuses = [
  "idle",
  "working",
  "working_on_retrospective",
  "awaiting_pm",
  "awaiting_gd",
  "waiting",
] as const;
export type RoleStatus = (typeof roleStatuses)[number];

export const sessionStatuses = ["running", "completed", "terminated", "max_iterations_reached"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const categories = ["architectural", "integration", "functional", "visual", "shader", "polish"] as const;
export type Category = (typeof categories)[number];

export const priorities = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof priorities)[number];

export const messageTypes = [
  "task_assign",
  "task_complete",
  "validation_request",
  "bug_report",
  "question",
  "design_question",
  "answer",
  "design_answer",
  "wake_up",
  "status_update",
  "retrospective_request",
  "playtest_request",
  "playtest_report",
  "agent_timeout",
  "note",
  "shutdown",
] as const;
export type MessageType = (typeof messageTypes)[number];
