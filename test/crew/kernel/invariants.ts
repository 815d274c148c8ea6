import { canMove, next } from "../../../runner/crew/kernel/automatic.js";
import type { Request } from "../../../runner/crew/kernel/kernel.js";
import { waitingMoves } from "../../../runner/crew/kernel/moves.js";
import type { CrewState, Item } from "../../../runner/crew/kernel/state.js";
import { type ItemStatus, isHeld, makers, passes, roles } from "../../../runner/crew/kernel/words.js";
import type { CrewAtWork } from "./crew-at-work.js";

interface Before {
  readonly state: CrewState;
  readonly item: Item;
  readonly asked: Request;
  readonly now: string;
}

/** Who makes a move, and what has to be so before it. */
type Rule = readonly [by: string, holds: (before: Before) => boolean];

const always = () => true;
const roleOf = { architectural: 0, integration: 0, functional: 0, visual: 1, shader: 1, polish: 1 };
const quarter = 15 * 60_000;

/** The moves of the protocol with their conditions, written down apart from the table that the kernel goes by. */
const legal: Readonly<Record<string, Rule>> = {
  "pending → assigned": [
    "pm",
    (before) => isGivenWell(before) && isFit(before) && before.item.acceptanceCriteria.length > 0,
  ],
  "assigned → in_progress": ["developer techartist gamedesigner", isAtWork],
  "in_progress → awaiting_qa": ["pm", ({ item }) => !!item.handIn && !!item.candidate && !item.setback],
  "awaiting_qa → passed": ["qa", isThatTree],
  "awaiting_qa → needs_fixes": [
    "pm supervisor",
    ({ item, asked }) => asked.actor === "supervisor" || item.validation?.result === "FAILED",
  ],
  "needs_fixes → assigned": [
    "pm",
    (before) => isGivenWell(before) && wantedBy(before) === before.item.holder && left(before) > 0,
  ],
  "needs_fixes → blocked": ["pm", (before) => left(before) <= 0],
  "blocked → pending": ["person", always],
  "passed → in_retrospective": ["pm", ({ state }) => state.rules.retrospective],
  "in_retrospective → retrospective_synthesized": ["pm", (before) => isOver(before) || haveLookedBack(before)],
  "retrospective_synthesized → playtest_phase": ["pm", ({ state }) => state.rules.playtest],
  "playtest_phase → playtest_complete": ["pm", (before) => isOver(before) || before.item.playtest !== null],
  "passed → prd_refinement": ["pm", always],
  "retrospective_synthesized → prd_refinement": ["pm", always],
  "playtest_complete → prd_refinement": ["pm", always],
  "prd_refinement → task_ready": ["pm", always],
  "task_ready → skill_research": ["pm", always],
  "skill_research → completed": ["pm", ({ item, asked }) => !asked.auto || item.retryCount + item.pickups === 0],
  "assigned → pending": ["pm", (before) => isSetBack(before) && picksLeft(before)],
  "in_progress → pending": ["pm", (before) => isSetBack(before) && picksLeft(before)],
  "assigned → blocked": ["pm", (before) => isSetBack(before) && !picksLeft(before)],
  "in_progress → blocked": ["pm", (before) => isSetBack(before) && !picksLeft(before)],
};

function wantedBy({ asked: { intent }, item }: Before): string | null {
  return intent.intent === "assign" ? intent.agent : item.holder;
}

function isGivenWell(before: Before): boolean {
  const { state, item } = before;
  const role = makers.find((each) => each === wantedBy(before));
  if (role === undefined) return false;
  const { status, turn, item: held, givenUp } = state.roles[role];
  const others = state.items.filter((each) => each.id !== item.id && busy.includes(each.status));
  const touched = (one: string, other: string) =>
    one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
  const meets = others.some((each) => each.files.some((one) => item.files.some((other) => touched(one, other))));
  return status === "idle" && turn === null && held === null && !givenUp && !meets;
}

const busy: readonly ItemStatus[] = ["assigned", "in_progress", "awaiting_qa", "needs_fixes"];

function isFit(before: Before): boolean {
  const { agent, category } = before.item;
  return wantedBy(before) === (agent ?? makers[roleOf[category]]);
}

function isAtWork({ state, item, asked }: Before): boolean {
  return (
    item.holder === asked.actor && state.roles[item.holder].turn !== null && state.roles[item.holder].item === item.id
  );
}

function isThatTree({ item, asked: { intent } }: Before): boolean {
  const { validation, candidate } = item;
  return (
    intent.intent === "committed" &&
    validation?.result === "PASSED" &&
    intent.tree === validation.tree &&
    candidate?.tree === intent.tree
  );
}

function left({ state, item }: Before): number {
  return state.rules.attempts - item.retryCount;
}

function picksLeft({ state, item }: Before): boolean {
  return item.pickups + 1 < state.rules.attempts;
}

function isSetBack({ item }: Before): boolean {
  return item.setback !== null;
}

function isOver({ item, now }: Before): boolean {
  return item.askedAt !== null && Date.parse(now) - Date.parse(item.askedAt) >= quarter;
}

function haveLookedBack({ state, item }: Before): boolean {
  return (["developer", "techartist", "qa"] as const).every(
    (role) => item.contributions[role] !== undefined || state.roles[role].givenUp,
  );
}

const passing: ReadonlySet<ItemStatus> = new Set([
  ...(["passed", "in_retrospective", "retrospective_synthesized", "playtest_phase", "playtest_complete"] as const),
  ...(["prd_refinement", "task_ready", "skill_research", "completed"] as const),
]);

/** Watches a crew, and says which invariant an intent has broken. */
export class Watch {
  #before: CrewState;
  #seen = 0;
  readonly #gone = new Set<string>();

  constructor(private readonly crew: CrewAtWork) {
    this.#before = crew.state;
  }

  broken(): readonly string[] {
    const found = [...this.#moves(), ...this.#items(), ...this.#messages(), ...this.#counts(), ...this.#liveness()];
    this.#before = this.crew.state;
    return found;
  }

  /** Looks at each move that was made since the last look. */
  *#moves(): Generator<string> {
    for (; this.#seen < this.crew.applied.length; this.#seen += 1) {
      const entry = this.crew.applied[this.#seen];
      const { item: id, from, to, state } = entry?.outcome ?? {};
      if (entry === undefined || id === undefined || from === undefined || to === undefined || state === undefined)
        continue;
      const [by, holds] = legal[`${from} → ${to}`] ?? ["", always];
      if (!by.split(" ").includes(entry.asked.actor)) yield `I3: ${from} → ${to} by ${entry.asked.actor}`;
      const was = entry.before.items.find((each) => each.id === id);
      const before = was && { state: entry.before, item: was, asked: entry.asked, now: entry.now };
      if (before === undefined || !holds(before)) yield `I3: ${id} went ${from} → ${to} against its conditions`;
      const item = state.items.find((each) => each.id === id);
      const unmet = item?.dependencies.filter(
        (each) => !state.items.some((one) => one.id === each && passing.has(one.status)),
      );
      if (from === "pending" && unmet?.length !== 0) yield `I4: ${id} is assigned, and waits for ${unmet}`;
      let handoff = state.handoffs;
      while (handoff !== null && handoff.item !== id) handoff = handoff.before;
      if (from === "pending" && handoff === null) yield `I9: ${id} left pending without a handoff`;
    }
  }

  *#items(): Generator<string> {
    const { items, roles: states, rules } = this.crew.state;
    for (const { id, status, holder, retryCount, pickups } of items) {
      if (passes(status) !== passing.has(status)) yield `I1: ${id}`;
      const holders = roles.filter((role) => states[role].item === id);
      const wanted = isHeld(status) ? [holder] : [];
      const really = holders.filter((role) => role !== "qa");
      if (really.join() !== wanted.join())
        yield `I2: ${id} is ${status}, held by ${really.join()}, and not ${wanted.join()}`;
      if (holders.includes("qa") && status !== "awaiting_qa") yield `I2: QA holds ${id}, which is ${status}`;
      if (retryCount > rules.attempts || pickups > rules.attempts)
        yield `I8: ${id} was tried ${retryCount}, ${pickups}`;
    }
    for (const role of makers) {
      const held = items.filter((item) => isHeld(item.status) && item.holder === role);
      if (held.length > 1) yield `I2: the ${role} holds ${held.map(({ id }) => id).join()}`;
    }
  }

  *#messages(): Generator<string> {
    for (const role of roles) {
      const now = new Set(this.crew.state.queues[role].map(({ id }) => id));
      if (now.size !== this.crew.state.queues[role].length) yield `I7: two messages of the ${role} have one id`;
      for (const { id } of this.#before.queues[role]) if (!now.has(id)) this.#gone.add(id);
      for (const id of now) if (this.#gone.has(id)) yield `I7: ${id} came back`;
    }
  }

  *#counts(): Generator<string> {
    const { iteration, rules } = this.crew.state;
    if (iteration < this.#before.iteration) yield "I11: the iteration went back";
    if (iteration > rules.maxIterations) yield "I11: more iterations than allowed";
  }

  *#liveness(): Generator<string> {
    const { state, now, table } = this.crew;
    if (state.status !== "running") return;
    const goesOn = roles.some((role) => {
      const { turn, status, item } = state.roles[role];
      return turn !== null || status.startsWith("awaiting") || item !== null || state.queues[role].length > 0;
    });
    const isTimed = state.items.some(({ status }) => status === "in_retrospective" || status === "playtest_phase");
    const isStuck = !goesOn && waitingMoves(state, { now, table }).length === 0;
    const left = state.items.find(({ status, setback }) => isHeld(status) && setback !== null);
    if (left !== undefined && next(state, now, table) === null)
      yield `I14: ${left.id} cannot go on, and nobody takes it back`;
    const isOver = state.items.every((item) => item.status === "completed" || !canMove(state, item));
    const isLost = roles.some((role) => state.roles[role].givenUp);
    const needsWords = state.items.some(({ acceptanceCriteria }) => acceptanceCriteria.length === 0);
    if (isStuck && !isTimed && !isOver && !isLost && !needsWords) yield "I14: nobody can be woken";
  }
}
