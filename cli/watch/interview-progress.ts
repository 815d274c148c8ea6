import type { EventType, Payload, TilthEvent } from "../../runner/session/log/events.js";
import { oneLine } from "../../runner/text/sanitise.js";
import { writeSeed } from "../../runner/tools/interviewer/write-seed.js";
import { toolLooks } from "../../runner/tools/roles.js";
import { lookOf, type ToolLooks } from "../../runner/tools/tool/look.js";
import type { Output } from "../output/output.js";
import { dim, line, type Painted, red } from "../output/painted.js";
import { isDumbTerminal } from "../settings/settings.js";
import { mainOf } from "./about-call.js";
import { doingNow } from "./frame.js";
import { InPlace } from "./in-place.js";
import { aboutLeftOut } from "./left-out.js";
import { aboutLimitWait, againIn } from "./limit-wait.js";

/** after so much silence a person begins to wonder */
const quietMs = 5_000;
const thinking = "the model is thinking";
const seedTool = writeSeed.definition.name;
/** events that the model's next reply follows */
const awaiting: ReadonlySet<EventType> = new Set(["prompt_assembled", "tool_result"]);

interface LineContext {
  readonly ts: string;
  readonly looks: ToolLooks;
}

type Lines = { readonly [T in EventType]?: (payload: Payload<T>, context: LineContext) => Painted | null };

/** Shows the interviewer's work between its questions; the frontend shows the questions themselves. */
export class InterviewProgress implements Disposable {
  readonly #output: Output;
  readonly #signal: AbortSignal;
  readonly #looks: ToolLooks;
  #quiet: NodeJS.Timeout | undefined;
  #handedIn = 0;
  #lastIter: number | undefined;
  /** the answer to the last seed */
  #answer = "";
  /** characters received of a streamed reply */
  #arrived = 0;
  /** on the terminal only while a reply comes in, because questions are drawn there too */
  #drawn: InPlace | null = null;

  constructor(output: Output, signal: AbortSignal, looks: ToolLooks = toolLooks) {
    this.#output = output;
    this.#signal = signal;
    this.#looks = looks;
  }

  show(event: TilthEvent): void {
    this.#takeAway();
    const shown = this.#handingIn(event) ?? lineOf(event, { ts: event.ts, looks: this.#looks });
    if (shown !== null) this.#output.say(shown);
    clearTimeout(this.#quiet);
    if (awaiting.has(event.type)) this.#quiet = setTimeout(() => this.#wait(), quietMs).unref();
  }

  /** Shows how much of a streamed reply has come; says nothing if nothing can be drawn in place. */
  arriving(chars: number): void {
    if (this.#signal.aborted || this.#output.window === null || isDumbTerminal()) return;
    clearTimeout(this.#quiet);
    this.#arrived = chars;
    this.#drawn ??= new InPlace(this.#output, () => [
      dim(doingNow({ doing: thinking, arrived: this.#arrived }, Number.POSITIVE_INFINITY)),
    ]);
    this.#drawn.draw();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    this.#takeAway();
  }

  #takeAway(): void {
    this.#drawn?.[Symbol.dispose]();
    this.#drawn = null;
  }

  #wait(): void {
    if (!this.#signal.aborted) this.#output.say(dim(thinking));
  }

  #handingIn({ type, payload }: TilthEvent): Painted | null {
    if (type === "tool_result" && payload.tool === seedTool) this.#answer ||= payload.content;
    // only the first seed of a reply counts
    if (type !== "tool_call" || payload.tool !== seedTool || payload.iter === this.#lastIter) return null;
    this.#lastIter = payload.iter;
    this.#handedIn += 1;
    if (this.#handedIn === 1) return dim("checking the model's seed");
    const why = this.#answer === "" ? "" : line` (${short(this.#answer)})`;
    this.#answer = "";
    return dim(line`seed ${this.#handedIn - 1} was sent back${why}; checking seed ${this.#handedIn}`);
  }
}

function lineOf({ type, payload }: TilthEvent, context: LineContext): Painted | null {
  const say = lines[type] as ((payload: unknown, context: LineContext) => Painted | null) | undefined;
  return say?.(payload, context) ?? null;
}

const lines: Lines = {
  isolation_receipt: ({ passed, items, role }) =>
    passed ? provedLine(role, items.length) : red(line`isolation of the ${role} container NOT proved`),
  model_retry: ({ reason, wait_ms }, { ts }) =>
    line`model: ${againIn((wait_ms / 1000).toFixed(1), { ts, wait_ms })} (${short(reason)})`,
  limit_wait: (payload) => line`model: ${aboutLimitWait(payload)} (${short(payload.reason)})`,
  parameter_left_out: (payload) => line`model: ${aboutLeftOut(payload)}`,
  empty_model_response: () => line`model: an empty reply; asked again`,
  context_folded: () => dim("the conversation got long; the oldest results are left out from here on"),
  hands_lost: ({ role, detail }) => line`the ${role} container was lost: ${short(detail)}`,
  tool_call: (call, { looks }) => doing(call, looks),
  calls_not_run: ({ count, why }) => dim(line`not run: ${count} calls (${why})`),
  seed_committed: ({ sha }) => dim(line`commit ${sha.slice(0, 10)}`),
};

/** A person waits only for the container that reads the source. */
function provedLine(role: string, items: number): Painted | null {
  return role === "check" || role === "clerk" ? null : dim(line`isolation proved: ${items} items`);
}

function doing(call: Payload<"tool_call">, looks: ToolLooks): Painted | null {
  const words = lookOf(looks, call.tool)?.inInterview;
  return words === undefined ? null : dim(line`${words} ${short(mainOf(call, looks))}`);
}

function short(text: string): string {
  return oneLine(text, 100);
}
