import type { Intent } from "../../../runner/crew/kernel/intents.js";
import { waitingMoves } from "../../../runner/crew/kernel/moves.js";
import type { CrewState, Item, PlannedItem } from "../../../runner/crew/kernel/state.js";
import type { transitions } from "../../../runner/crew/kernel/transitions.js";
import {
  type Actor,
  actors,
  categories,
  itemStatuses,
  type Maker,
  makers,
  priorities,
  type Role,
  roles,
} from "../../../runner/crew/kernel/words.js";
import { CrewAtWork, planned } from "./crew-at-work.js";

/** Draws the same numbers for the same seed. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  of<One>(list: readonly One[]): One {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new Error("nothing to draw from");
    return one;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

/** Up to six items that may wait for each other, some of them in the backlog, and a crew with random rules. */
export function randomCrew(draw: Draw, table?: typeof transitions): CrewAtWork {
  const ids = Array.from({ length: 1 + draw.below(6) }, (_, at) => `I-${at}`);
  const items = ids.map((id, at) =>
    planned(id, {
      category: draw.of(categories),
      priority: draw.of(priorities),
      agent: draw.chance(20) ? draw.of(makers) : null,
      acceptanceCriteria: draw.chance(95) ? ["works"] : [],
      dependencies: ids.slice(0, at).filter(() => draw.chance(25)),
      files: draw.chance(40) ? [draw.of(["src", "src/a.py", "docs", "src/b/c.py", "src/b"])] : [],
    }),
  );
  const [now, later] = [items.filter(() => true), draw.chance(40) ? 1 + draw.below(items.length) : items.length];
  const rules = {
    attempts: 1 + draw.below(3),
    maxIterations: draw.chance(15) ? 1 + draw.below(4) : 200,
    retrospective: draw.chance(30),
    playtest: false,
    pmAlways: draw.chance(20),
  };
  return new CrewAtWork(
    now.slice(0, later),
    { ...rules, playtest: rules.retrospective && draw.chance(50) },
    now.slice(later),
    table,
  );
}

/** Something that somebody asks: mostly what makes sense now, sometimes anything. */
export function randomIntent(crew: CrewAtWork, draw: Draw): { readonly actor: Actor; readonly intent: Intent } {
  if (draw.chance(4)) return almostRight(crew, draw);
  return draw.chance(92) ? sensible(crew, draw) : anything(crew, draw);
}

/** Asks for the next move of an item at the wrong time, or by the wrong role. */
function almostRight({ state }: CrewAtWork, draw: Draw): Request {
  const { id: item, status, candidate } = draw.of(state.items);
  if (status === "assigned") return asked(draw.of(makers), { intent: "start", item });
  if (status === "awaiting_qa")
    return asked("qa", {
      intent: "committed",
      item,
      tree: draw.chance(80) ? (candidate?.tree ?? "") : "T1",
      commit: "c",
    });
  return asked("pm", { intent: "advance", item, to: draw.of(itemStatuses), note: "" });
}

type Request = { readonly actor: Actor; readonly intent: Intent };

function sensible(crew: CrewAtWork, draw: Draw): Request {
  const { state } = crew;
  const role = draw.of(roles.filter((each) => hasWork(state, each)).concat(draw.of(roles)));
  const { turn, item: id } = state.roles[role];
  const item = state.items.find((each) => each.id === id) ?? null;
  if (turn === null) {
    const waiting = state.items.find(({ status }) => status === "awaiting_qa");
    const messages = state.queues[role].map((message) => message.id);
    return supervisor({ intent: "turn_started", role, messages, item: role === "qa" ? (waiting?.id ?? null) : null });
  }
  if (draw.chance(item !== null || role === "pm" ? 8 : 60))
    return supervisor({
      intent: "turn_ended",
      role,
      exit: draw.of(["idle", "idle", "idle", "awaiting_pm", "awaiting_gd", "crashed", "infra"] as const),
      reason: "",
    });
  if (role === "pm") return asked("pm", byPm(crew, draw));
  if (role === "qa") return byQa(item, draw);
  if (item?.handIn && item.candidate === null && draw.chance(80))
    return supervisor({ intent: "candidate_made", item: item.id, tree: `T${draw.below(99)}`, commit: "c" });
  return asked(role, byMaker(crew, item, draw));
}

function hasWork(state: CrewState, role: Role): boolean {
  return state.roles[role].item !== null || state.queues[role].length > 0;
}

function byMaker(crew: CrewAtWork, item: Item | null, draw: Draw): Intent {
  const lookedAt = crew.state.items.find(({ status }) => status === "in_retrospective");
  const played = crew.state.items.find(({ status }) => status === "playtest_phase");
  if (lookedAt && draw.chance(50)) return { intent: "contribute", item: lookedAt.id, worked: "", hurt: "", change: "" };
  if (played && draw.chance(50)) return { intent: "submit_playtest", item: played.id, summary: "", issues: [] };
  const question = draw.of(
    roles
      .flatMap((role) => crew.state.queues[role])
      .concat([])
      .map(({ id }) => id)
      .concat("M-9"),
  );
  const coverage = (item?.acceptanceCriteria ?? []).map((criterion) => ({ criterion, addressed_by: "" }));
  if (item !== null && draw.chance(70))
    return { intent: "complete_task", summary: "", ac_coverage: coverage, work_arounds: [], uncertainties: [] };
  return draw.of<Intent>([
    { intent: "ask", to: draw.of(["pm", "gamedesigner"] as const), question: "?" },
    { intent: "report_blocked", reason: "no" },
    { intent: "answer", message: question, answer: "!" },
    { intent: "done", summary: "" },
    { intent: "log_progress", text: "on" },
  ]);
}

function byQa(item: Item | null, draw: Draw): Request {
  if (item?.validation?.result === "PASSED")
    return asked("qa", { intent: "committed", item: item.id, tree: item.validation.tree, commit: "c" });
  const result = draw.of(["PASSED", "FAILED"] as const);
  const answer = { result: result === "PASSED" ? ("pass" as const) : ("fail" as const), evidence: "" };
  const steps = (item?.verificationSteps ?? []).map((step) => ({ step, ...answer }));
  return asked("qa", {
    intent: "submit_validation",
    result,
    tree: draw.chance(90) ? (item?.candidate?.tree ?? "") : "another",
    criteria: (item?.acceptanceCriteria ?? []).map((criterion) => ({ criterion, ...answer })),
    steps: draw.chance(90) ? steps : [],
    bugs: result === "PASSED" ? [] : [{ severity: "low", issue: "no" }],
  });
}

function byPm(crew: CrewAtWork, draw: Draw): Intent {
  const refined = crew.state.items.find(({ status }) => status === "prd_refinement");
  if (refined && draw.chance(40)) return { intent: "advance", item: refined.id, to: "task_ready", note: "" };
  const [waiting] = waitingMoves(crew.state, crew);
  if (waiting && draw.chance(50)) {
    const { to, agent } = waiting;
    const item = waiting.item.id;
    return agent === null ? { intent: "advance", item, to, note: "" } : { intent: "assign", item, agent };
  }
  const item = draw.of(crew.state.items);
  const question = draw.of([...crew.state.queues.pm.map(({ id }) => id), "M-9"]);
  return draw.of<Intent>([
    { intent: "assign", item: item.id, agent: draw.of(makers) },
    { intent: "advance", item: item.id, to: draw.of(itemStatuses), note: "" },
    { intent: "advance", item: item.id, to: draw.of(["task_ready", "completed", "prd_refinement"] as const), note: "" },
    { intent: "advance", item: item.id, to: draw.of(["in_retrospective", "playtest_phase"] as const), note: "" },
    { intent: "answer", message: question, answer: "!" },
    { intent: "set_priority", item: item.id, priority: draw.of(priorities) },
    { intent: "edit_item", item: item.id, acceptanceCriteria: ["more"] },
    { intent: "add_items", items: [planned(`N-${draw.below(9)}`, { dependencies: draw.chance(30) ? [item.id] : [] })] },
    { intent: "done", summary: "" },
  ]);
}

function anything(crew: CrewAtWork, draw: Draw): Request {
  const { items, backlog } = crew.state;
  const item = draw.chance(90) ? draw.of(items).id : "NONE";
  const role: Role = draw.of(roles);
  const maker: Maker = draw.of(makers);
  const later: readonly PlannedItem[] = backlog.length > 0 ? backlog : [planned("NONE")];
  const intent = draw.of<Intent>([
    { intent: "assign", item, agent: maker },
    { intent: "advance", item, to: draw.of(itemStatuses), note: "" },
    { intent: "start", item },
    { intent: "committed", item, tree: "T1", commit: "c" },
    { intent: "candidate_made", item, tree: "T1", commit: "c" },
    { intent: "candidate_spoiled", item, bugs: [{ severity: "high", issue: "conflict" }] },
    { intent: "timed_out", role, reason: "late" },
    { intent: "tell", to: role, text: "hello" },
    { intent: "unblock", item },
    { intent: "end" },
    { intent: "opened", rules: crew.state.rules },
    { intent: "promote", ids: [draw.of(later).id] },
    { intent: "wake_up", role },
    { intent: "write_skill", role, text: "x" },
    { intent: "write_retrospective", item, text: "x" },
    { intent: "report_blocked", reason: "" },
    { intent: "done", summary: "" },
  ]);
  if (intent.intent === "end" && draw.chance(90)) return asked("person", { intent: "tell", to: role, text: "go on" });
  return asked(draw.of(actors), intent);
}

function asked(actor: Actor, intent: Intent): Request {
  return { actor, intent };
}

function supervisor(intent: Intent): Request {
  return asked("supervisor", intent);
}
