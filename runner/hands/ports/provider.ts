import type { HostPath, SessionId } from "../../base/ids.js";
import type { Settings } from "../../settings/settings.js";
import type { BuiltEnvironment, EnvironmentAnswer, EnvironmentSpec, IndexAccess } from "./environment.js";
import type { Hands, HandsImage, HandsLost } from "./hands.js";
import type { Images } from "./images.js";
import type { SelectiveReading } from "./reading.js";
import type { WayOut } from "./way-out.js";
import type { Receipt } from "./work.js";

/** The way to a provider, before anything is known of it. */
export interface HandsOrigin {
  /** Fails with TilthError `usage` when no hands can be had there. */
  connect(settings: Settings, signal: AbortSignal): Promise<HandsProvider>;
  /** Lists looks at it in their order; `session` is nobody's, and marks what a look leaves when it is killed. */
  examinations(settings: Settings, session: SessionId): readonly Examination[];
}

/**
 * Where hands come from. Whatever a provider keeps between runs, a repository or an environment, has an id that says
 * nothing outside of it. It fails with TilthError `infra` when it does not answer, and `usage` when it lacks what is
 * asked for.
 */
export interface HandsProvider {
  /** what it is and can do, for the diagnostics */
  readonly facts: Readonly<object>;
  readonly images: Images;
  readonly environments: KeptEnvironments;
  /** Returns the image that sessions use now; null when none is built. */
  image(signal: AbortSignal): Promise<HandsImage | null>;
  /** Returns null when there is no such image here, or another version of tilth made it. */
  imageById(id: string, signal: AbortSignal): Promise<HandsImage | null>;
  /** Opens the hands of a session. No sandbox is started before it is needed. */
  open(session: SessionOfHands): Hands;
  /** Opens a source for reading, uncommitted work included, in a sandbox that can change nothing of it. */
  openReading(session: SessionOfReading): SourceReading;
  /** Removes what dead processes of this home left. */
  clearDead(signal: AbortSignal): Promise<void>;
  /** Ends every sandbox of a session; only for whoever has just taken its lock. */
  clearSession(session: SessionId, signal: AbortSignal): Promise<void>;
  /** Removes what is kept for a session between its runs, once no sandbox of it is left. */
  forgetSession(session: SessionId, signal: AbortSignal): Promise<void>;
}

interface OfSession {
  readonly session: SessionId;
  readonly image: HandsImage;
  /** settles when nothing of an earlier process is left of the session */
  readonly cleared?: Promise<unknown>;
  /** told of each sandbox that ended in a sleep and whose work is done again */
  readonly lostAsleep?: (loss: HandsLost) => void;
  /** how long a sandbox lives on without a word from here; a minute unless given */
  readonly leaseSeconds?: number;
}

export interface SessionOfHands extends OfSession {
  readonly worktree: HostPath;
  /** of the worker's sandbox; none unless given, as for every other */
  readonly wayOut?: WayOut | null;
  readonly signal: AbortSignal;
}

export interface SessionOfReading extends OfSession {
  readonly source: { readonly workTree: HostPath; readonly gitDir: HostPath; readonly commonDir: HostPath };
}

export interface SourceReading extends SelectiveReading, AsyncDisposable {
  /** Throws NotIsolated where the sandbox cannot prove its isolation; a lost one is started again. */
  start(signal: AbortSignal): Promise<Receipt>;
}

/** The environments of projects that a provider keeps. */
export interface KeptEnvironments {
  build(order: EnvironmentOrder): Promise<EnvironmentAnswer>;
  has(environment: BuiltEnvironment, signal: AbortSignal): Promise<boolean>;
  /** Returns false when a sandbox still uses it. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
  /** Lists those of this home. */
  list(signal: AbortSignal): Promise<readonly KeptEnvironment[]>;
}

export interface EnvironmentOrder {
  readonly session: SessionId;
  readonly image: HandsImage;
  readonly key: string;
  readonly spec: EnvironmentSpec;
  readonly index: IndexAccess;
  readonly say: (line: string) => void;
  /** gets the sandbox's receipt of isolation, passed or not */
  readonly onReceipt: (receipt: Receipt) => void;
  readonly signal: AbortSignal;
}

export interface KeptEnvironment {
  readonly name: string;
  readonly key: string;
  /** true when the process that made it is certainly dead */
  readonly isSettled: boolean;
}

/** One look at a provider, for `doctor`. */
export interface Examination {
  readonly name: string;
  /** Returns what was seen; throws TilthError with what is wrong and its remedy. */
  look(signal: AbortSignal): Promise<string>;
}
