import type { SessionFiles, TilthEvent } from "../../runner/index.js";
import type { Payload } from "../../runner/session/log/events.js";
import { noUsage, type Usage } from "../../runner/session/summary/usage.js";
import type { Caps } from "../../runner/settings/settings.js";
import { oneLine } from "../../runner/text/sanitise.js";
import type { Output } from "../output/output.js";
import { bold, line } from "../output/painted.js";
import { isDumbTerminal } from "../settings/settings.js";
import { EventLines } from "./event-lines.js";
import { LiveView } from "./live.js";
import { Progress } from "./progress.js";

/** A way for a person or a script to follow a run. */
export interface Watch {
  heard(event: TilthEvent): void;
  usedSoFar(used: Usage): void;
  /** told the characters received of a streamed reply */
  arriving(chars: number): void;
  /** After this nothing more is drawn or written. */
  end(signal: AbortSignal): Promise<void>;
}

export interface Watched {
  readonly files: SessionFiles;
  readonly caps: Caps;
}

/** If lines can be drawn in place, tool calls appear there and do not scroll by. */
export function forPerson(output: Output, { files, caps }: Watched): Watch {
  const prd = files.hasPrd() ? files.loadPrd() : [];
  if (output.window === null || isDumbTerminal()) return scrolling(output, new Progress(output, prd));
  const { tokens, cost } = files.loadCheckpoint();
  const lines = scrolling(output, new Progress(output, prd, { leftOut: new Set(["tool_call"]) }));
  // an estimate until the log has been read
  const used = { ...noUsage(), total_tokens: tokens, cost };
  const view = new LiveView(output, caps, { prd, used });
  return {
    heard: (event) => {
      lines.heard(event);
      view.heard(event);
    },
    usedSoFar: (exactly) => view.usedSoFar(exactly),
    arriving: (chars) => view.arriving(chars),
    end: async (signal) => {
      view[Symbol.dispose]();
      await output.drain(signal);
    },
  };
}

function scrolling(output: Output, progress: Progress): Watch {
  return {
    heard: (event) => (event.type === "session_resume" ? sayPlan(output, event.payload) : progress.show(event)),
    usedSoFar: () => undefined,
    arriving: () => undefined,
    end: async () => undefined,
  };
}

export function forScript(output: Output, { files }: Watched): Watch {
  const lines = new EventLines(output, files.paths.events);
  return {
    heard: () => lines.more(),
    usedSoFar: () => undefined,
    arriving: () => undefined,
    end: (signal) => lines.end(signal),
  };
}

export const forNobody: Watch = {
  heard: () => undefined,
  usedSoFar: () => undefined,
  arriving: () => undefined,
  end: async () => undefined,
};

/** Says the plan of a resumed session, and what had to be repaired first. */
function sayPlan(output: Output, resumed: Payload<"session_resume">): void {
  const { last_stop, reconciled, plan, image, image_before } = resumed;
  output.say(bold(line`continuing; the last run ${last_stop === null ? "was cut short" : `stopped: ${last_stop}`}`));
  for (const task of plan) output.say(line`  ${oneLine(task, 100)}`);
  for (const mended of reconciled) output.say(line`  repaired: ${oneLine(mended, 100)}`);
  if (image_before !== null && image_before !== image)
    output.say(line`  the hands image has changed: now ${image}, before ${image_before}`);
}
