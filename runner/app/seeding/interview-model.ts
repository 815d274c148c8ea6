import type { Clock } from "../../base/clock.js";
import { openModelClient } from "../../model/openai-client.js";
import type { ModelClient } from "../../model/port/model-client.js";
import { PricedModel } from "../../model/port/priced-model.js";
import { WatchedModel } from "../../model/port/watched-model.js";
import { ApisFile } from "../../model/remembered/known-apis.js";
import { LimitsFile } from "../../model/remembered/known-limits.js";
import type { ModelSettings } from "../../settings/settings.js";

export interface Interviewing {
  readonly settings: ModelSettings;
  readonly session: string;
  readonly clock: Clock;
  /** the command that holds the interview again */
  readonly again: string;
  readonly onProgress: (chars: number) => void;
}

/**
 * Opens the model that holds an interview. If a long limit ends an interview, it has to be held again from the start.
 */
export function interviewModel({ settings, session, clock, again, onProgress }: Interviewing): ModelClient {
  const known = new ApisFile(settings.home);
  const limits = new LimitsFile(settings.home);
  const client = openModelClient(settings.endpoints, settings, { session, clock, known, limits, goOn: again });
  return new WatchedModel(new PricedModel(client, settings), onProgress);
}
