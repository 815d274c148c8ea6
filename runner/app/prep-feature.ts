import { Interrupted, TilthError } from "../base/errors.js";
import { hostPath, type SessionId } from "../base/ids.js";
import type { InterviewEnd } from "../interview/interview.js";
import { highestTestNumber } from "../seed/seed.js";
import { SessionLock } from "../session/lock/lock.js";
import type { SessionFiles } from "../session/session-files.js";
import { SessionStore } from "../session/store.js";
import { measureBase } from "../source/git/base-pack.js";
import { leftOutOf } from "../source/git/left-out.js";
import { listTests } from "../source/git/list-paths.js";
import { findHands, findSource, remarksOn, remarksOnReading } from "./opening/basis.js";
import { lossAsInfra, readingAndHands } from "./opening/session-hands.js";
import { InFlight, type InFlightPolicy, startAgain } from "./removal/in-flight.js";
import { type RemovalParts, undo } from "./removal/remove-session.js";
import { type InterviewOrder, interviewOver } from "./seeding/interview-over.js";
import { recordSeed, summariseUse } from "./seeding/record-seed.js";

export interface PrepOrder extends InterviewOrder {
  readonly source: string;
  readonly inFlight: InFlightPolicy;
}

export type PrepEnd =
  /** there was no brief, and nothing was done */
  | { readonly kind: "declined" }
  | { readonly kind: "prepared"; readonly id: SessionId; readonly tasks: number }
  | { readonly kind: "failed"; readonly id: SessionId; readonly why: string };

/**
 * Creates a prepared session from an interview. If the person interrupts it, nothing is left; if the interviewer gives
 * up, or the provider of hands or the endpoint fails, a failed session is left.
 */
export async function prepFeature(order: PrepOrder): Promise<PrepEnd> {
  const { settings, signal } = order;
  const source = await findSource(order);
  const store = new SessionStore(hostPath(settings.home));
  const inFlight = new InFlight(store, source.workTree, order.inFlight);
  const base = source.head;
  const highest = highestTestNumber(await listTests(source, base, signal));
  const size = await measureBase(source, base, signal);
  const basis = { source, ...(await findHands(order)) };
  const remarks = [...remarksOn(source), ...remarksOnReading(source), ...(await leftOutOf(source, size, signal))];
  for (const remark of remarks) order.say(remark);
  const brief = await order.brief(signal);
  if (brief === null) return { kind: "declined" };
  const files = store.create({ source: source.workTree, baseCommit: base });
  using lock = SessionLock.acquire(files.paths.lock);
  const held = { ...order, brief, signal: AbortSignal.any([signal, lock.lost]) };
  const parts = readingAndHands(files, basis, held.signal);
  await using hands = parts.hands;
  await using reading = parts.reading;
  const { losses } = parts;
  const subject = { basis, files, hands, reading, losses, base, parent: base, plan: null, highest };
  const image = basis.image.id;
  const again = startAgain(source.workTree, order.inFlight);
  try {
    const end = await interviewOver(held, subject, {
      again,
      makeWay: () => inFlight.discard({ store, basis, ...held }).catch((error) => leftAlone(error, order)),
      record: ({ record: meta, ...taken }, log) => recordSeed({ files, meta, image, ...taken }, log),
    });
    return await ended(end, files);
  } catch (error) {
    // another process has taken over the session
    if (lock.lost.aborted) throw lock.lost.reason;
    if (error instanceof Interrupted || signal.aborted)
      order.say(`the interview was interrupted; ${await undone({ source, store, files, hands })}`);
    else {
      await markFailed(files).catch(() => undefined);
      order.say(`session ${files.id} failed; start again with: ${again}`);
    }
    throw lossAsInfra(error);
  }
}

/** Removes the session and says what, if anything, is left of it. */
async function undone(parts: RemovalParts): Promise<string> {
  const left = await undo(parts);
  if (left === null) return "nothing of it is left";
  return `not all of session ${parts.files.id} could be removed; the next interview about this source removes the rest: ${left}`;
}

/** A session that somebody started working on meanwhile must not cost the person the interview. */
function leftAlone(error: unknown, { say }: PrepOrder): void {
  if (!(error instanceof TilthError) || error.code !== "busy") throw error;
  say(`${error.message}; nothing was discarded`);
}

/** A failed interview has no tasks; its log keeps what was said and what it cost. */
async function markFailed(files: SessionFiles): Promise<void> {
  files.updateCheckpoint({ ...(await summariseUse(files)), status: "failed" });
}

async function ended(end: InterviewEnd, files: SessionFiles): Promise<PrepEnd> {
  const { id } = files;
  if (end.kind === "prepared") return { kind: "prepared", id, tasks: files.loadPrd().length };
  await markFailed(files);
  return { kind: "failed", id, why: whyFailed(end) };
}

export function whyFailed(end: Exclude<InterviewEnd, { kind: "prepared" }>): string {
  if (end.kind === "out_of_replies") return "the interviewer used all its replies without handing in a seed";
  return `the interviewer gave up: ${end.detail}`;
}
