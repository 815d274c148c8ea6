import { TilthError } from "../../runner/errors.js";
import { stageSeed } from "../../runner/index.js";
import { exitOk } from "../exit-codes.js";
import { loadSettings } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export interface SeedOptions {
  readonly from: string;
  readonly force?: boolean;
  readonly keepExisting?: boolean;
  readonly trustSource?: boolean;
}

export async function seed({ output, signal }: Surroundings, source: string, options: SeedOptions): Promise<number> {
  if (options.force && options.keepExisting)
    throw new TilthError("usage", "--force and --keep-existing contradict each other", "give one of them");
  const staged = await stageSeed({
    settings: loadSettings(false),
    source,
    from: options.from,
    inFlight: options.force ? "discard" : options.keepExisting ? "keep" : "refuse",
    trustSource: options.trustSource ?? false,
    signal,
    say: (line) => output.say(line),
  });
  output.print(`session ${staged.id} is prepared: ${staged.tasks} task${staged.tasks === 1 ? "" : "s"}`);
  output.print(`run it: tilth run --sandbox --session ${staged.id}`);
  return exitOk;
}
