import type { EffectName } from "./effects.js";
import type { GuardName } from "./guards.js";
import type { Actor, ItemStatus } from "./words.js";

/** One way from status to status. The first row that fits an item, a status and an actor decides. */
export interface Transition {
  readonly rule: string;
  readonly from: readonly ItemStatus[];
  readonly to: ItemStatus;
  readonly by: readonly Actor[];
  /** all of them hold */
  readonly guards: readonly GuardName[];
  /** in this order, in the same event */
  readonly effects: readonly EffectName[];
  /** when nobody has to find words for it: the kernel then makes it in the actor's name, if it is the only one */
  readonly wordless: "always" | "never" | GuardName;
}

const makers = ["developer", "techartist", "gamedesigner"] as const;

/** T1, which makes an item, is not here: it has no status to come from. */
export const transitions: readonly Transition[] = [
  {
    rule: "T2",
    from: ["pending"],
    to: "assigned",
    by: ["pm"],
    guards: ["dependenciesPass", "hasCriteria", "fitsTheRole", "roleIsFree", "overlapsNothing"],
    effects: ["give", "sendAssignment", "handOff"],
    wordless: "always",
  },
  {
    rule: "T3",
    from: ["assigned"],
    to: "in_progress",
    by: makers,
    guards: ["actorHoldsIt", "isInATurn"],
    effects: ["begin"],
    wordless: "always",
  },
  {
    rule: "T4",
    from: ["in_progress"],
    to: "awaiting_qa",
    by: ["pm"],
    guards: ["isHandedIn", "hasNoSetback"],
    effects: ["release", "sendValidationRequest", "handOff"],
    wordless: "always",
  },
  {
    rule: "T5",
    from: ["awaiting_qa"],
    to: "passed",
    by: ["qa"],
    guards: ["isValidated", "isCommitted"],
    effects: ["releaseQa", "countIteration", "sendCompletion"],
    wordless: "never",
  },
  {
    rule: "T6",
    from: ["awaiting_qa"],
    to: "needs_fixes",
    by: ["pm"],
    guards: ["isRefused"],
    effects: ["releaseQa", "keepBugs", "countRetry", "countIteration", "handOff"],
    wordless: "always",
  },
  {
    // a candidate that conflicts with what was accepted meanwhile, or is red on top of it
    rule: "T6",
    from: ["awaiting_qa"],
    to: "needs_fixes",
    by: ["supervisor"],
    guards: [],
    effects: ["releaseQa", "keepBugs", "handOff"],
    wordless: "never",
  },
  {
    rule: "T7",
    from: ["needs_fixes"],
    to: "assigned",
    by: ["pm"],
    guards: ["attemptsAreLeft", "isTheSameRole", "roleIsFree", "overlapsNothing"],
    effects: ["give", "sendAssignment"],
    wordless: "always",
  },
  {
    rule: "T8",
    from: ["needs_fixes"],
    to: "blocked",
    by: ["pm"],
    guards: ["attemptsAreSpent"],
    effects: ["countFailure"],
    wordless: "always",
  },
  {
    rule: "T9",
    from: ["blocked"],
    to: "pending",
    by: ["person"],
    guards: [],
    effects: ["startOver"],
    wordless: "never",
  },
  {
    rule: "T10",
    from: ["passed"],
    to: "in_retrospective",
    by: ["pm"],
    guards: ["retrospectivesAreOn"],
    effects: ["askToLookBack"],
    wordless: "never",
  },
  {
    rule: "T11",
    from: ["in_retrospective"],
    to: "retrospective_synthesized",
    by: ["pm"],
    guards: ["allLookedBack"],
    effects: [],
    wordless: "never",
  },
  {
    rule: "T12",
    from: ["retrospective_synthesized"],
    to: "playtest_phase",
    by: ["pm"],
    guards: ["playtestsAreOn"],
    effects: ["askToPlay"],
    wordless: "never",
  },
  {
    rule: "T13",
    from: ["playtest_phase"],
    to: "playtest_complete",
    by: ["pm"],
    guards: ["isPlayed"],
    effects: [],
    wordless: "never",
  },
  {
    rule: "T14",
    from: ["passed", "retrospective_synthesized", "playtest_complete"],
    to: "prd_refinement",
    by: ["pm"],
    guards: [],
    effects: [],
    wordless: "always",
  },
  { rule: "T15", from: ["prd_refinement"], to: "task_ready", by: ["pm"], guards: [], effects: [], wordless: "never" },
  { rule: "T16", from: ["task_ready"], to: "skill_research", by: ["pm"], guards: [], effects: [], wordless: "always" },
  {
    rule: "T17",
    from: ["skill_research"],
    to: "completed",
    by: ["pm"],
    guards: [],
    effects: ["countCompletion"],
    wordless: "neverFailed",
  },
  {
    rule: "T18",
    from: ["assigned", "in_progress"],
    to: "pending",
    by: ["pm"],
    guards: ["hasSetback", "pickupsAreLeft"],
    effects: ["release", "sendSetback", "countPickup", "handOff"],
    wordless: "always",
  },
  {
    rule: "T19",
    from: ["assigned", "in_progress"],
    to: "blocked",
    by: ["pm"],
    guards: ["hasSetback", "pickupsAreSpent"],
    effects: ["release", "countPickup", "countFailure"],
    wordless: "always",
  },
];
