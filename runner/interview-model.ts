import { ApisFile } from "./known-apis.js";
import { LimitsFile } from "./known-limits.js";
import type { ModelClient } from "./model/model-client.js";
import { openModelClient } from "./model/openai-client.js";
import { PricedModel } from "./model/priced-model.js";
import { WatchedModel } from "./model/watched-model.js";
import type { ModelSettings } from "./settings.js";
import type { Clock } from "./support/clock.js";

export interface Interviewing {
  readonly settings: ModelSettings;
  readonly session: string;
  readonly clock: Clock;
  /** the command that holds it again */
  readonly again: string;
  readonly onProgress: (chars: number) => void;
}

/** The model that holds an interview. One that a long limit ended is held again from its beginning. */
export function interviewModel({ settings, session, clock, again, onProgress }: Interviewing): ModelClient {
  const known = new ApisFile(settings.home);
  const limits = new LimitsFile(settings.home);
  const client = openModelClient(settings.endpoints, settings, { session, clock, known, limits, goOn: again });
  return new WatchedModel(new PricedModel(client, settings), onProgress);
}
