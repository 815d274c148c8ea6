import { systemClock } from "../../base/clock.js";
import type { CommitId } from "../../base/ids.js";
import type { ModelSettings } from "../../base/settings.js";
import { Spend } from "../../dialogue/spend.js";
import type { DockerReading } from "../../hands/docker-reading.js";
import type { Hands } from "../../hands/hands.js";
import { receiptOf } from "../../hands/work-port.js";
import { GuardedReading } from "../../interview/guarded-reading.js";
import { type InterviewEnd, interview } from "../../interview/interview.js";
import type { Environments } from "../../loop/context/environments.js";
import { recordReceipt, recordReceipts } from "../../loop/context/receipt.js";
import { idOf } from "../../seed/numbering.js";
import type { Seed } from "../../seed/seed.js";
import { EventLog } from "../../session/event-log.js";
import type { TilthEvent } from "../../session/events.js";
import type { SleepLosses } from "../../session/hands-events.js";
import type { Prd } from "../../session/prd.js";
import type { InterviewRecord } from "../../session/seed-meta.js";
import type { SessionFiles } from "../../session/session-files.js";
import { summarise } from "../../session/summary.js";
import type { Frontend } from "../../tools/context/frontend.js";
import type { Ground } from "../ground/ground.js";
import { maskerOf } from "../ground/known-secrets.js";
import { type EnvironmentsOf, knownEnvironments, newEnvironments } from "../ground/open-environments.js";
import { remarkOtherModels } from "../ground/other-model.js";
import { LogSoFar } from "../running/log-so-far.js";
import { interviewModel } from "./interview-model.js";
import { announcePreparation } from "./record-seed.js";
import { SeedPlacement } from "./seed-placement.js";
import { SessionSink, type Taken } from "./session-sink.js";

/** What both verbs that hold an interview are given. */
export interface InterviewOrder {
  readonly settings: ModelSettings;
  /** What the person wants, in their words; asked for once all that could be in the way was looked at. Null calls it off. */
  readonly brief: (signal: AbortSignal) => Promise<string | null>;
  readonly frontend: Frontend;
  readonly trustSource: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly onEvent: (event: TilthEvent) => void;
  /** told a few times a second while a streamed reply comes in: its characters so far, of which the log says nothing */
  readonly onProgress: (chars: number) => void;
}

export interface Briefed extends Omit<InterviewOrder, "brief"> {
  readonly brief: string;
}

/** The session an interview is about. */
export interface Subject {
  readonly ground: Ground;
  readonly files: SessionFiles;
  readonly hands: Hands;
  readonly reading: DockerReading;
  readonly losses: SleepLosses;
  readonly base: CommitId;
  /** what the seed comes on top of */
  readonly parent: CommitId;
  /** tasks that are there already; null when it is a new session */
  readonly plan: Prd | null;
  /** the highest task number that is taken */
  readonly highest: number;
}

/** What is particular to a new session, and to one that tasks are added to. */
export interface SeedRules {
  /** the command that holds such an interview again */
  readonly again: string;
  /** before the commit of a seed that will be taken */
  readonly makeWay: (seed: Seed) => void | Promise<void>;
  /** Writes down what was taken, and that is the last event. */
  readonly record: (taken: Taken & { readonly record: InterviewRecord }, log: EventLog) => Promise<void>;
}

/** Holds an interview over a session, on record from its first event. */
export async function interviewOver(order: Briefed, subject: Subject, rules: SeedRules): Promise<InterviewEnd> {
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
  // of a session that tasks are added to they are known
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

/** Before a model is asked anything: what cannot be tried is no subject for an interview. */
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
