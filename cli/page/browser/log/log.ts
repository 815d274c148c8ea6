import type { ToolLooks } from "../../../../runner/tools/tool/look.js";
import type { Group, Item, LoggedEvent } from "./item.js";
import { kindOf } from "./kinds.js";
import { fieldsOf, numberOrNull, parsed, textOf, textOrNull } from "./read.js";
import { Tallies } from "./tallies.js";

const ofNoTask = new Set([
  "session_start",
  "session_resume",
  "session_prepared",
  "seed_committed",
  "lock_taken_over",
  "left_behind",
  "stop",
]);

/** The log in the page: raw lines, and the blocks they form. Events are parsed again each time they are shown. */
export class Log {
  readonly lines: string[] = [];
  readonly items: Item[] = [];
  readonly groups: Group[] = [];
  readonly tallies = new Tallies();
  readonly #bySeq = new Map<number, Item>();
  readonly #open = new Map<string, Item>();
  #call: Item | null = null;
  #prepared = false;

  constructor(readonly tools: ToolLooks) {}

  /** Adds a line and returns the block it began or completed. */
  add(line: string): Item {
    const at = this.lines.push(line) - 1;
    const event = readEvent(line);
    const item = this.#completedBy(event) ?? this.#begun(event);
    item.lines.push(at);
    if (event.seq !== null && !this.#bySeq.has(event.seq)) this.#bySeq.set(event.seq, item);
    this.tallies.add(event, item);
    return item;
  }

  eventsOf(item: Item): readonly LoggedEvent[] {
    return item.lines.map((at) => readEvent(this.lines[at] ?? ""));
  }

  itemOf(seq: number): Item | null {
    return this.#bySeq.get(seq) ?? null;
  }

  #completedBy({ type, payload }: LoggedEvent): Item | null {
    const last = this.items.at(-1);
    switch (type) {
      case "tool_result":
        return this.#taken(`call ${textOf(payload.call_id)}`);
      case "hook_run":
      case "pre_tool_block":
        return last && last === this.#call ? last : null;
      case "prompt_assembled":
        return this.#taken(`memory ${textOf(payload.role)}`);
      case "ledger_appended":
        return this.#taken(`verdict ${textOf(payload.task_id)}`);
      case "commit":
        return this.#open.get(`commit ${textOf(payload.sha)}`) ?? null;
      case "task_done":
        return this.#taken(`commit ${textOf(payload.sha)}`);
      default:
        return null;
    }
  }

  #taken(key: string): Item | null {
    const item = this.#open.get(key) ?? null;
    this.#open.delete(key);
    return item;
  }

  #begun(event: LoggedEvent): Item {
    const { type, payload, seq } = event;
    const index = this.items.length;
    const anchor = seq === null || this.#bySeq.has(seq) ? `x${index}` : `e${seq}`;
    const item = {
      index,
      kind: kindOf(type, payload.tool, this.tools),
      group: this.#groupOf(event),
      lines: [],
      anchor,
    };
    this.items.push(item);
    const key = keyOf(event);
    if (key !== null) this.#open.set(key, item);
    if (type === "tool_call") this.#call = item;
    return item;
  }

  #groupOf({ type, payload }: LoggedEvent): Group {
    const last = this.groups.at(-1);
    const task = textOrNull(payload.task_id) ?? (ofNoTask.has(type) ? null : (last?.task ?? null));
    if (type === "session_start" && payload.phase === "run") this.#prepared = true;
    if (type === "session_resume") this.#prepared = true;
    if (last && last.task === task && (task !== null || last.prepared === this.#prepared)) return last;
    const from = this.items.length;
    const group = { index: this.groups.length, task, prepared: this.#prepared, from };
    this.groups.push(group);
    return group;
  }
}

/** The key under which a later event finds this one's block. */
function keyOf({ type, payload }: LoggedEvent): string | null {
  switch (type) {
    case "tool_call":
      return `call ${textOf(payload.call_id)}`;
    case "memory_load":
      return `memory ${textOf(payload.role)}`;
    case "evaluator_verdict":
      return `verdict ${textOf(payload.task_id)}`;
    case "commit_prepared":
    case "commit":
      return `commit ${textOf(payload.sha)}`;
    default:
      return null;
  }
}

function readEvent(line: string): LoggedEvent {
  const event = fieldsOf(parsed(line));
  const seq = numberOrNull(event.seq);
  return {
    seq: seq !== null && Number.isSafeInteger(seq) && seq >= 0 ? seq : null,
    at: Date.parse(textOf(event.ts)),
    type: textOrNull(event.type) ?? "unreadable",
    payload: "payload" in event ? fieldsOf(event.payload) : event,
  };
}
