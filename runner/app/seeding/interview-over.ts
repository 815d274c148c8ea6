import { type Clock, systemClock } from "../../base/clock.js";
import type { CommitId } from "../../base/ids.js";
import { Spend } from "../../dialogue/spend.js";
import type { Hands } from "../../hands/ports/hands.js";
import type { SourceReading } from "../../hands/ports/provider.js";
import { receiptOf } from "../../hands/ports/work.js";
import { GuardedReading } from "../../interview/guarded-reading.js";
import { type InterviewEnd, interview } from "../../interview/interview.js";
import type { Environments } from "../../loop/context/environments.js";
import { recordReceipt, recordReceipts } from "../../loop/context/receipt.js";
import { openModelClient } from "../../model/openai-client.js";
import type { ModelClient } from "../../model/port/model-client.js";
import { PricedModel } from "../../model/port/priced-model.js";
import { WatchedModel } from "../../model/port/watched-model.js";
import { ApisFile } from "../../model/remembered/known-apis.js";
import { LimitsFile } from "../../model/remembered/known-limits.js";
import { idOf } from "../../seed/numbering.js";
import type { Seed } from "../../seed/seed.js";
import { EventLog } from "../../session/log/event-log.js";
import type { TilthEvent } from "../../session/log/events.js";
import type { SleepLosses } from "../../session/log/hands-events.js";
import type { SessionFiles } from "../../session/session-files.js";
import type { Prd } from "../../session/state/prd.js";
import type { InterviewRecord } from "../../session/state/seed-meta.js";
import { summarise } from "../../session/summary/summary.js";
import type { ModelSettings } from "../../settings/settings.js";
import type { Frontend } from "../../tools/interviewer/frontend.js";
import type { Basis } from "../opening/basis.js";
import { maskerOf } from "../opening/known-secrets.js";
import { type EnvironmentsOf, knownEnvironments, newEnvironments } from "../opening/open-environments.js";
import { LogSoFar } from "../running/log-so-far.js";
import { remarkOtherModels } from "../running/model-remarks.js";
import { announcePreparation } from "./record-seed.js";
import { SeedPlacement } from "./seed-placement.js";
import { type CommittedSeed, SessionSink } from "./session-sink.js";

/** The input of both verbs that hold an interview. */
export interface InterviewOrder {
  readonly settings: ModelSettings;
  /**
   * Asks for what the person wants, in their words, after everything that could be in the way was checked. Null calls
   * it off.
   */
  readonly brief: (signal: AbortSignal) => Promise<string | null>;
  readonly frontend: Frontend;
  readonly trustSource: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly onEvent: (event: TilthEvent) => void;
  /**
   * called a few times a second while a streamed reply comes in, with its characters so far; the log does not have them
   */
  readonly onProgress: (chars: number) => void;
}

export interface BriefedOrder extends Omit<InterviewOrder, "brief"> {
  readonly brief: string;
}

/** The session an interview is about. */
export interface Subject {
  readonly basis: Basis;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly reading: SourceReading;
  readonly losses: SleepLosses;
  readonly base: CommitId;
  /** the commit that the seed goes on top of */
  readonly parent: CommitId;
  /** tasks that already exist; null for a new session */
  readonly plan: Prd | null;
  /** the highest task number in use */
  readonly highest: number;
}

/** The parts that differ between a new session and one that tasks are added to. */
export interface SeedRules {
  /** the command that holds such an interview again */
  readonly again: string;
  /** called before an accepted seed is committed */
  readonly makeWay: (seed: Seed) => void | Promise<void>;
  /** Writes down the accepted seed, and appends the last event. */
  readonly record: (taken: CommittedSeed & { readonly record: InterviewRecord }, log: EventLog) => Promise<void>;
}

/** Holds an interview about a session and logs it from the first event. */
export async function interviewOver(order: BriefedOrder, subject: Subject, rules: SeedRules): Promise<InterviewEnd> {
  const { settings, frontend, signal, say, onProgress } = order;
  const { files, hands, reading, plan, highest } = subject;
  const { endpoints } = settings;
  const masker = maskerOf(settings);
  const clock = systemClock;
  using log = EventLog.open(files.paths.events, (text) => masker.text(text));
  log.onEvent(order.onEvent);
  subject.losses.recordIn(log);
  remarkOtherModels(log, say);
  announcePreparation({ phase: "prep-feature", ...subject }, log);
  using _receipts = recordReceipts(hands, log);
  recordReceipt({ role: "read", image: hands.image, receipt: await reading.start(signal).catch(receiptOf) }, log);
  const environments = await settleEnvironment(subject, { settings, log, say, signal });
  const spend = new Spend((await summarise(files.paths.events, null)).usage);
  const startedAt = clock.now();
  const placement = new SeedPlacement({ ...subject, signal });
  // when tasks are added to a session, its suite is known already
  const suite = plan === null ? { settings: settings.suite, environment: environments.key } : null;
  const proof = { placement, hands, log, checkTimeoutMs: settings.checkTimeoutSeconds * 1000, suite, say, signal };
  const sink = new SessionSink(proof, { highest, makeWay: rules.makeWay });
  const end = await interview({
    brief: order.brief,
    firstId: idOf(highest + 1),
    plan,
    tools: hands.image.tools,
    environment: environments.shown,
    contextTokens: settings.contextTokens,
    model: interviewModel({ settings, session: files.id, clock, again: rules.again, onProgress }),
    events: log,
    spend,
    clock,
    signal,
    frontend,
    sink,
    reading: new GuardedReading(reading, (question, asking) => frontend.permit(question, asking)),
  });
  if (sink.taken === null) return end;
  const about = { interviewer_model: endpoints.interviewer.model, tokens: tokensOf(spend) };
  const times = { started_at: startedAt.toISOString(), ended_at: clock.now().toISOString() };
  await rules.record({ ...sink.taken, record: { ...about, ...times, ...sink.taken.seed.notes } }, log);
  return end;
}

/** Runs before a model is asked anything: there is no point in an interview whose tests cannot be run. */
async function settleEnvironment(
  { plan, parent, ...subject }: Subject,
  order: Pick<EnvironmentsOf, "settings" | "log" | "say" | "signal">,
): Promise<Pick<Environments, "shown" | "key">> {
  const of = { ...subject, ...order, tip: async () => parent };
  if (plan === null) {
    const environments = await newEnvironments(of);
    await environments.stage();
    return environments;
  }
  const { environments: past } = await LogSoFar.read(subject.files.paths.events);
  const environments = knownEnvironments(of, past.choice);
  await environments.goOn(past);
  return environments;
}

function tokensOf(spend: Spend): InterviewRecord["tokens"] {
  const { prompt_tokens: prompt, eval_tokens: completion } = spend.of("interview");
  return { prompt, completion, total: prompt + completion };
}

interface Interviewing {
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
