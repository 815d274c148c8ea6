import { holds, itemNamed } from "./access.js";
import { fits } from "./order.js";
import { overlapping } from "./overlap.js";
import type { CrewState, Item } from "./state.js";
import { type Actor, isActive, type Maker, passes, type Worker } from "./words.js";

/** The particulars of one move. */
export interface Move {
  readonly actor: Actor;
  /** the role that an item is given to */
  readonly agent: Maker | null;
  /** the tree that was committed */
  readonly tree: string | null;
  readonly note: string;
  readonly now: string;
}

/** Says why a move is not allowed; null if it is. */
type Guard = (state: CrewState, item: Item, move: Move) => string | null;

export const guards = {
  dependenciesPass: (state, { dependencies }) => {
    const unmet = dependencies.filter((id) => !passes(itemNamed(state, id)?.status ?? "pending"));
    return unmet.length === 0 ? null : `it waits for ${unmet.join(", ")}`;
  },
  hasCriteria: (_, { acceptanceCriteria }) =>
    acceptanceCriteria.length > 0 ? null : "it has no acceptance criteria: edit_item can add some",
  fitsTheRole: (_, item, { agent }) => {
    const role = fits(item);
    return agent === role ? null : `${item.agent === null ? `${item.category} items are` : "it is"} for the ${role}`;
  },
  roleIsFree: (state, _, { agent }) => {
    if (agent === null) return "nobody was named";
    const { status, item, turn, givenUp } = state.roles[agent];
    if (givenUp) return `the ${agent} was given up until the session is resumed`;
    if (item !== null) return `the ${agent} holds ${item}`;
    return status === "idle" && turn === null ? null : `the ${agent} is ${turn === null ? status : "at work"}`;
  },
  overlapsNothing: (state, item) => {
    const other = state.items.find((each) => each !== item && isActive(each.status) && overlapping(each, item));
    return other === undefined ? null : `it touches the files of ${other.id}, which is ${other.status}`;
  },
  actorHoldsIt: (state, item, { actor }) => (holds(state, actor, item) ? null : `the ${actor} does not hold it`),
  isInATurn: (state, { holder }) =>
    holder !== null && state.roles[holder].turn !== null ? null : "its role is not at work",
  isHandedIn: (_, { handIn, candidate }) => {
    if (handIn === null) return "nobody has handed it in";
    return candidate === null ? "its candidate is not made and checked yet" : null;
  },
  hasNoSetback: (_, { setback }) => (setback === null ? null : `its role cannot go on: ${setback.reason}`),
  isValidated: (_, { validation }) =>
    validation?.result === "PASSED" ? null : "QA has not answered every criterion and step with a pass",
  isCommitted: (_, { candidate, validation }, { tree }) =>
    tree !== null && tree === candidate?.tree && tree === validation?.tree
      ? null
      : "the tree that was committed is not the one that QA saw",
  isRefused: (_, { validation }) => (validation?.result === "FAILED" ? null : "QA has not refused it"),
  attemptsAreLeft: ({ rules }, { retryCount }) =>
    retryCount < rules.attempts ? null : `it was tried ${retryCount} times`,
  attemptsAreSpent: ({ rules }, { retryCount }) =>
    retryCount >= rules.attempts ? null : `it has ${rules.attempts - retryCount} attempts left`,
  isTheSameRole: (_, { holder }, { agent }) =>
    agent === holder ? null : `its fixes belong to the ${holder ?? "role that made it"}`,
  retrospectivesAreOn: ({ rules }) => (rules.retrospective ? null : "retrospectives are not asked for"),
  playtestsAreOn: ({ rules }) => (rules.playtest ? null : "playtests are not asked for"),
  allLookedBack: (state, { contributions, askedAt }, { now }) => {
    const missing = lookingBack.filter((role) => contributions[role] === undefined && !state.roles[role].givenUp);
    return missing.length === 0 || isOver(askedAt, now) ? null : `${missing.join(" and ")} did not look back yet`;
  },
  isPlayed: (_, { playtest, askedAt }, { now }) =>
    playtest !== null || isOver(askedAt, now) ? null : "the gamedesigner has not played it yet",
  hasSetback: (_, { setback }) => (setback === null ? "its role can go on" : null),
  pickupsAreLeft: ({ rules }, { pickups }) =>
    pickups + 1 < rules.attempts ? null : `it was picked up ${pickups + 1} times`,
  pickupsAreSpent: ({ rules }, { pickups }) => (pickups + 1 >= rules.attempts ? null : "it can be picked up again"),
  neverFailed: (_, { retryCount, pickups }) =>
    retryCount + pickups === 0 ? null : "it failed on the way: is there something to learn from that?",
} as const satisfies Readonly<Record<string, Guard>>;

export type GuardName = keyof typeof guards;

export const lookingBack: readonly Worker[] = ["developer", "techartist", "qa"];
const longestMinutes = 15;

function isOver(since: string | null, now: string): boolean {
  return since !== null && Date.parse(now) - Date.parse(since) >= longestMinutes * 60_000;
}
