import { type TreeId, treeId } from "../../base/ids.js";
import type { Payload, TilthEvent } from "../../session/log/events.js";
import { baseOf } from "../expectations.js";

/** Tells which of the project's own tests the last accepted tree passes. */
export interface Baseline {
  readonly environment: string | null;
  /** names of tests, by file */
  readonly held: ReadonlyMap<string, ReadonlySet<string>>;
  /** ids and names that may fail or be skipped without consequence */
  readonly excepted: ReadonlySet<string>;
  readonly inCode: ReadonlySet<string>;
  /** files of which nothing is known yet */
  readonly notRun: ReadonlySet<string>;
  /** files that a task rewrote although their old tests passed, with the tree that has the old ones */
  readonly rewritten: ReadonlyMap<string, TreeId>;
  /** duration of one run of them */
  readonly ms: number;
  /** number of tests that passed; `failing` names those that failed already */
  readonly passed: number;
  readonly failing: readonly string[];
  readonly problem: string | null;
}

export function fileOf(id: string): string {
  return id.split("::", 1)[0] ?? id;
}

/** Returns the part of an id or a name that comes after its file. */
export function nameIn(id: string): string {
  return baseOf(id).slice(fileOf(id).length + "::".length);
}

/** Returns an id's name without parameters. */
export function nameOf(id: string): string {
  return `${fileOf(id)}::${nameIn(id)}`;
}

type SuiteEvent = { [T in TilthEvent["type"]]: { readonly type: T; readonly payload: Payload<T> } }[TilthEvent["type"]];

/** The project's own tests according to a session's log: based once, and moved on by each task that became a commit. */
export class SuiteSoFar {
  #baseline: Baseline | null = null;
  #tried: Payload<"suite_run"> | null = null;

  constructor(baseline: Baseline | null = null) {
    this.#baseline = baseline;
  }

  get baseline(): Baseline | null {
    return this.#baseline;
  }

  add({ type, payload }: SuiteEvent): void {
    if (type === "base_suite") this.#baseline = baselineOf(payload, this.#baseline);
    if (type === "suite_run") this.#tried = payload;
    if (type !== "commit" || this.#tried === null || this.#baseline === null) return;
    const { task_id, tree, passed } = this.#tried;
    if (passed && tree === payload.tree && task_id === payload.task_id)
      this.#baseline = movedOn(this.#baseline, this.#tried);
    this.#tried = null;
  }
}

function baselineOf(base: Payload<"base_suite">, before: Baseline | null): Baseline {
  return {
    environment: base.environment,
    held: new Map(Object.entries(base.held).map(([file, names]) => [file, new Set(names)])),
    excepted: new Set([...base.failing, ...base.unsteady, ...base.left_out]),
    inCode: new Set(base.in_code),
    notRun: new Set(base.not_run),
    rewritten: before?.rewritten ?? new Map(),
    ms: base.ms / Math.max(1, base.runs),
    passed: base.passed,
    failing: base.failing,
    problem: base.problem,
  };
}

function movedOn(before: Baseline, run: Payload<"suite_run">): Baseline {
  const { joined, gone, not_run } = run;
  const held = new Map([...before.held].map(([file, names]) => [file, new Set(names)]));
  for (const id of gone) held.get(fileOf(id))?.delete(nameIn(id));
  for (const id of joined) held.set(fileOf(id), new Set([...(held.get(fileOf(id)) ?? []), nameIn(id)]));
  const mended = new Set(joined.flatMap((id) => [id, nameOf(id), fileOf(id)]));
  return {
    ...before,
    held,
    passed: Math.max(0, before.passed + joined.length - gone.length),
    excepted: new Set([...before.excepted].filter((id) => !mended.has(id))),
    failing: before.failing.filter((id) => !mended.has(id)),
    notRun: new Set(not_run),
    rewritten: rewrittenBy(run, before),
  };
}

/** A rewritten file whose test pinned a change of behaviour is no longer held to its old tests. */
function rewrittenBy({ rewritten, changed, last }: Payload<"suite_run">, before: Baseline): Baseline["rewritten"] {
  const all = new Map([...rewritten.map((file) => [file, treeId(last)] as const), ...before.rewritten]);
  for (const name of changed) all.delete(fileOf(name));
  return all;
}
