import type {
  Actor,
  Category,
  ItemStatus,
  Maker,
  MessageType,
  Priority,
  Role,
  RoleStatus,
  SessionStatus,
  Worker,
} from "./words.js";

export interface Bug {
  readonly severity: "critical" | "high" | "medium" | "low";
  readonly issue: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  readonly fix?: string | undefined;
}

/** An item as somebody planned it. */
export interface PlannedItem {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly category: Category;
  readonly priority: Priority;
  /** the role that it is for, whatever its category says */
  readonly agent: Maker | null;
  readonly acceptanceCriteria: readonly string[];
  readonly verificationSteps: readonly string[];
  readonly dependencies: readonly string[];
  /** files or folders that it will change; none if nobody knows */
  readonly files: readonly string[];
}

/** A maker says that an item is done, and why. */
export interface HandIn {
  readonly summary: string;
  readonly coverage: readonly {
    readonly criterion: string;
    readonly addressed_by: string;
    readonly evidence?: string | undefined;
  }[];
  readonly work_arounds: readonly string[];
  readonly uncertainties: readonly string[];
}

/** QA says whether a candidate does what its item asks for. */
export interface Validation {
  readonly result: "PASSED" | "FAILED";
  readonly tree: string;
  readonly criteria: readonly AnswerTo<"criterion">[];
  readonly steps: readonly AnswerTo<"step">[];
  readonly bugs: readonly Bug[];
}

export type AnswerTo<Name extends string> = { readonly [key in Name]: string } & {
  readonly result: "pass" | "fail";
  readonly evidence: string;
};

export interface Candidate {
  readonly tree: string;
  readonly commit: string;
}

/** Why a role cannot go on with the item that it holds. */
export interface Setback {
  readonly kind: "timed_out" | "crashed" | "blocked";
  readonly reason: string;
}

export interface Item extends PlannedItem {
  readonly status: ItemStatus;
  /** the role that holds it, or held it last */
  readonly holder: Maker | null;
  readonly assignedAt: string | null;
  /** failures that QA found, a list for each round */
  readonly rounds: readonly (readonly Bug[])[];
  readonly retryCount: number;
  readonly pickups: number;
  readonly handIn: HandIn | null;
  readonly candidate: Candidate | null;
  readonly validation: Validation | null;
  readonly setback: Setback | null;
  /** what roles said when they were asked to look back */
  readonly contributions: Readonly<Partial<Record<Worker, Contribution>>>;
  /** the PM's words on what they said */
  readonly retrospective: string | null;
  readonly playtest: Playtest | null;
  /** since when it waits for others to look back or to play it */
  readonly askedAt: string | null;
}

export interface Playtest {
  readonly summary: string;
  readonly issues: readonly {
    readonly title: string;
    readonly description: string;
    readonly acceptanceCriteria: readonly string[];
  }[];
}

/** A line that a role wrote about its work. */
export interface ProgressLine {
  readonly before: ProgressLine | null;
  readonly text: string;
  readonly at: string;
}

export interface Contribution {
  readonly worked: string;
  readonly hurt: string;
  readonly change: string;
}

export interface Turn {
  readonly startedAt: string;
  /** ids of the messages that it takes; they are gone when it ends well */
  readonly messages: readonly string[];
}

export interface RoleState {
  readonly status: RoleStatus;
  /** the item that it holds, or that QA looks at */
  readonly item: string | null;
  readonly turn: Turn | null;
  readonly crashes: number;
  readonly givenUp: boolean;
  readonly awaitingSince: string | null;
  /** whether the PM was already reminded of what the role waits for */
  readonly reminded: boolean;
}

export interface Message {
  readonly id: string;
  readonly from: Role | "kernel" | "person";
  readonly to: Role;
  readonly type: MessageType;
  readonly priority: Priority;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly timestamp: string;
  readonly replyTo: string | null;
}

/** The settings of a person, as they were when the crew was opened last. */
export interface CrewRules {
  readonly attempts: number;
  readonly maxIterations: number;
  readonly retrospective: boolean;
  readonly playtest: boolean;
  readonly awaitingMinutes: number;
  /** every move that a PM could make is asked of the model */
  readonly pmAlways: boolean;
}

/** An item went on to somebody else. */
export interface Handoff {
  readonly before: Handoff | null;
  readonly item: string;
  readonly status: ItemStatus;
  readonly by: Actor;
  readonly note: string;
}

export interface CrewState {
  readonly status: SessionStatus;
  readonly iteration: number;
  readonly stats: { readonly completed: number; readonly failed: number };
  /** in the order in which they came */
  readonly items: readonly Item[];
  /** places in `items`, by id in lower case */
  readonly places: ReadonlyMap<string, number>;
  readonly backlog: readonly PlannedItem[];
  readonly roles: Readonly<Record<Role, RoleState>>;
  readonly queues: Readonly<Record<Role, readonly Message[]>>;
  readonly messagesSent: number;
  /** the last of them; each knows the one before */
  readonly handoffs: Handoff | null;
  /** the last line of each role; each knows the one before */
  readonly progress: Readonly<Record<Role, ProgressLine | null>>;
  /** what the PM wrote for roles to know */
  readonly skills: Readonly<Partial<Record<Role, string>>>;
  readonly rules: CrewRules;
}
