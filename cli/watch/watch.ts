import type { SessionFiles, TilthEvent } from "../../runner/index.js";
import { noUsage, type Usage } from "../../runner/session/summary/usage.js";
import type { Caps } from "../../runner/settings/settings.js";
import type { Output } from "../output/output.js";
import { sayPlan } from "../output/say-plan.js";
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
  const lines = scrolling(output, new Progress(output, prd, new Set(["tool_call"])));
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
