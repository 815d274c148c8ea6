// Shows a run to whoever sits at the terminal: the events of a log, as many as a file says have come by now.
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Output } from "../../cli/output/output.js";
import { LiveView } from "../../cli/watch/live.js";
import { Progress } from "../../cli/watch/progress.js";
import type { TilthEvent } from "../../runner/index.js";
import type { Prd } from "../../runner/session/state/prd.js";
import { noUsage } from "../../runner/session/summary/usage.js";
import type { Caps } from "../../runner/settings/settings.js";

export interface LiveScript {
  readonly prd: Prd;
  readonly caps: Caps;
  readonly events: readonly TilthEvent[];
}

const [, , script = "{}", told = ""] = process.argv;
const { prd, caps, events } = JSON.parse(readFileSync(script, "utf8")) as LiveScript;
const output = new Output();
const progress = new Progress(output, prd, { leftOut: new Set(["tool_call"]) });
output.say("before the run");
{
  using view = new LiveView(output, caps, { prd, used: noUsage() });
  for (let at = 0; at < events.length; await wait(10)) {
    for (const until = Number(readFileSync(told, "utf8")); at < until; at += 1) {
      const event = events[at];
      if (event === undefined) break;
      progress.show(event);
      view.heard(event);
    }
  }
}
await output.drain(new AbortController().signal);
output.print("the end");
await output.drain(new AbortController().signal);
process.exit(0);
