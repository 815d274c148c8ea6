import { awakeMs } from "../base/awake.js";
import { TilthError } from "../base/errors.js";
import { treeId } from "../base/ids.js";
import { indexAddress } from "../egress/index/configured-index.js";
import type { EnvironmentRefusal } from "../hands/ports/environment.js";
import type { Hands } from "../hands/ports/hands.js";
import type { Environments, ForTree, Placed } from "../loop/context/environments.js";
import type { EnvironmentShown } from "../memory/environment-text.js";
import type { SessionFiles } from "../session/session-files.js";
import { EnvironmentLocks } from "../session/state/environment-locks.js";
import { counted } from "../text/counted.js";
import { DependencyChanges, notesOn } from "./dependency-changes.js";
import { type DependencyFiles, dependencyFiles } from "./dependency-files.js";
import {
  type EnvironmentContext,
  type EnvironmentOrder,
  type EnvironmentOutcome,
  ensureEnvironment,
} from "./ensure-environment.js";
import { type EnvironmentChoice, environmentKey, namedIn } from "./environment-key.js";
import { environmentEvent, type RecordedEnvironment } from "./environment-record.js";
import type { EnvironmentRecord } from "./environment-store.js";
import { blobsOf, FilesInForce, withHeld } from "./files-in-force.js";
import { names } from "./named-by.js";
import { idOf, type PastEnvironment, PastEnvironments, type TreeOfTask } from "./past-environments.js";
import { ClerkFiles, type ClerkParts, recordedFiles } from "./tree-files.js";

export interface SessionEnvironmentParts extends Omit<EnvironmentContext, "session"> {
  readonly files: SessionFiles;
  readonly baseFiles: () => Promise<DependencyFiles>;
  readonly hands: Pick<Hands, "clerk" | "useEnvironment" | "checkIn">;
  /** settles once the clerk has the session's objects */
  readonly repository: () => Promise<unknown>;
  readonly choice: EnvironmentChoice;
}

interface Making {
  readonly tree: string | null;
  readonly files: DependencyFiles;
  readonly span?: ForTree["span"];
}

/** An environment that is kept; null if the dependency files ask for none. */
type Standing = EnvironmentRecord | null;

interface Trial {
  readonly standing: Standing;
  readonly files: FilesInForce;
}

/**
 * The environments of one session: one for its base, and one for each tree whose task changes what the project needs.
 */
export class SessionEnvironments implements Environments {
  readonly #parts: SessionEnvironmentParts;
  readonly #locks: EnvironmentLocks;
  readonly #tried = new Map<string, Trial>();
  #past = new PastEnvironments();
  #inForce: Standing = null;
  #files: FilesInForce;
  #changes: DependencyChanges;

  constructor(parts: SessionEnvironmentParts) {
    this.#parts = parts;
    this.#locks = new EnvironmentLocks(parts.files.paths);
    this.#files = new FilesInForce(parts.baseFiles, null);
    this.#changes = this.#changesFrom(this.#files);
  }

  get shown(): EnvironmentShown | null {
    if (!this.#inForce?.built || this.#inForce.taken.length === 0) return null;
    const { python, pytest, packages, taken } = this.#inForce;
    return { python, pytest, packages, file: filesIn(taken).join(", ") };
  }

  get key(): string | null {
    return this.#inForce?.key ?? null;
  }

  /** For a session that is being created. TilthError `usage` if its base asks for something unavailable. */
  async stage(): Promise<void> {
    if (this.#parts.choice.dependencies === "none") return void this.#had({ tree: null, files: new Map() }, null);
    const files = await this.#parts.baseFiles();
    const made = await this.#make({ tree: null, files });
    if (!made.ok) throw asUsage(made.refusal.kind === "failed" ? orWithout(made.refusal) : made.refusal);
    this.#tell(made.standing);
    this.#enforce(made.standing, inMemory(files));
  }

  /** For a session with recorded environments: puts the last one in force again. */
  async goOn(past: PastEnvironments): Promise<void> {
    this.#past = past;
    if (past.inForce !== null) await this.#enforceAgain(past.inForce);
  }

  async putInForce(accepted: TreeOfTask): Promise<void> {
    const known = this.#tried.get(idOf(accepted));
    const past = this.#past.of(accepted);
    if (known !== undefined) this.#enforce(known.standing, known.files);
    else if (past !== undefined) await this.#enforceAgain(past);
    else this.useInForce();
  }

  useInForce(): void {
    this.#use(this.#inForce);
  }

  async useFor(submitted: ForTree): Promise<Placed> {
    const changes = this.#parts.choice.dependencies === "none" ? [] : await this.#changes.in(submitted);
    const isNamed = (path: string) => names(submitted.taskText, path);
    const notes = notesOn(changes, isNamed);
    const held = changes.map(({ path }) => path).filter((path) => !isNamed(path));
    if (changes.length === held.length) {
      this.useInForce();
      return { ok: true, inForce: true, notes };
    }
    const made = await this.#forTree(submitted, new Set(held));
    if (!made.ok) return { ok: false, problem: `${made.refusal.problem}\n→ ${made.refusal.remedy}` };
    this.#parts.hands.checkIn(made.standing?.built ?? null);
    return { ok: true, inForce: made.standing?.key === this.#inForce?.key, notes };
  }

  async #forTree({ tree, span }: ForTree, held: ReadonlySet<string>): Promise<StandingOutcome> {
    const known = this.#tried.get(idOf({ ...span, tree }));
    if (known !== undefined) return { ok: true, standing: known.standing };
    const now = new ClerkFiles(this.#clerkParts, tree);
    const asked = withHeld(now, this.#files, (path) => held.has(path));
    const files = await dependencyFiles(asked, this.#named).catch(asRefusal);
    if ("kind" in files) return { ok: false, refusal: files };
    const made = await this.#make({ tree, files, span });
    if (made.ok) this.#tried.set(idOf({ ...span, tree }), { standing: made.standing, files: inMemory(files) });
    else if (made.refusal.kind === "failed") throw new TilthError("infra", made.refusal.problem, made.refusal.remedy);
    return made;
  }

  async #make({ files, ...making }: Making): Promise<StandingOutcome> {
    const about = { ...making, files: blobsOf(files) };
    if (!files.declares) return this.#had(about, null);
    const began = awakeMs();
    const ensured = await this.#ensured({ ...this.#wanted(files), files: async () => files });
    if (ensured.kind !== "known") return { ok: false, refusal: ensured };
    const { record, built } = ensured;
    if (record.built === null) return this.#had({ ...about, said: record.said }, null);
    this.#locks.save(record.key, record.lock);
    return this.#had({ ...about, built, ms: Math.round(awakeMs() - began) }, record);
  }

  #had(about: Omit<RecordedEnvironment, "choice" | "standing">, standing: Standing): StandingOutcome {
    const { choice, log } = this.#parts;
    log.append("environment", environmentEvent({ ...about, choice, standing }));
    return { ok: true, standing };
  }

  #ensured(wanted: Omit<EnvironmentOrder, "choice">): Promise<EnvironmentOutcome> {
    const { choice, files } = this.#parts;
    return ensureEnvironment({ ...this.#parts, session: files.id }, { ...wanted, choice });
  }

  /** Versions that the session has resolved before stay the same. */
  #wanted(files: DependencyFiles): Pick<EnvironmentOrder, "key" | "lock" | "prefer"> {
    const known = this.#past.keyOf(blobsOf(files));
    const lock = known === null ? null : this.#locks.load(known);
    if (known !== null && lock !== null) return { key: known, lock };
    const { choice, image, settings } = this.#parts;
    const { recipe, platform, id } = image;
    const indexes = settings.packages.indexes.map(indexAddress);
    const prefer = this.#inForce?.lock ?? null;
    const key = environmentKey({ ...files, choice, recipe, platform, indexes, prefer, image: id });
    return { key, lock: this.#locks.load(key), prefer };
  }
  /** Puts a recorded environment in force again, from its lock. */
  async #enforceAgain(past: PastEnvironment): Promise<void> {
    const files = this.#filesOf(past);
    this.#enforce(past.key === null ? null : await this.#again(past.key, files), files);
  }

  async #again(key: string, { whole }: FilesInForce): Promise<Standing> {
    const ensured = await this.#ensured({ key, lock: this.#locks.get(key), files: whole });
    if (ensured.kind !== "known") throw asUsage(ensured);
    return { ...ensured.record, key };
  }

  #filesOf({ tree, files }: PastEnvironment): FilesInForce {
    if (tree === null) return new FilesInForce(this.#parts.baseFiles, files);
    const ofTree = () => dependencyFiles(new ClerkFiles(this.#clerkParts, treeId(tree)), this.#named);
    return new FilesInForce(files === null ? ofTree : () => recordedFiles(files, this.#clerkParts), files);
  }

  #changesFrom(files: FilesInForce): DependencyChanges {
    return new DependencyChanges(files, (tree) => new ClerkFiles(this.#clerkParts, treeId(tree)).blobs(), this.#named);
  }

  get #clerkParts(): ClerkParts {
    const { hands, repository, signal } = this.#parts;
    return { clerk: hands.clerk, repository, signal };
  }

  get #named(): readonly string[] | null {
    return namedIn(this.#parts.choice);
  }

  #enforce(standing: Standing, files: FilesInForce): void {
    this.#inForce = standing;
    this.#files = files;
    this.#changes = this.#changesFrom(files);
    this.#locks.putInForce(standing?.key ?? null);
    this.#use(standing);
  }

  #use(standing: Standing): void {
    this.#parts.hands.useEnvironment(standing?.built ?? null);
  }

  #tell(standing: Standing): void {
    if (standing === null) return;
    const { packages, taken, said, python, pytest } = standing;
    const from = taken.length > 0 ? ` from ${taken.join(", ")}` : "";
    this.#parts.say(`environment: ${counted(packages.length, "package")}${from}, Python ${python}, pytest ${pytest}`);
    for (const line of said) this.#parts.say(line);
  }
}

type StandingOutcome =
  | { readonly ok: true; readonly standing: Standing }
  | { readonly ok: false; readonly refusal: EnvironmentRefusal };

function inMemory(files: DependencyFiles): FilesInForce {
  return new FilesInForce(async () => files, null);
}

/** Returns the files named in `taken`, whose entries may also name a part of a file. */
function filesIn(taken: readonly string[]): readonly string[] {
  return [...new Set(taken.map((each) => each.replace(/ \[.*$/, "")))];
}

/** A tree whose dependency files cannot be used is no failure of the run: the worker can submit another. */
function asRefusal(error: unknown): EnvironmentRefusal {
  if (!(error instanceof TilthError) || error.code !== "usage") throw error;
  return { kind: "refused", problem: error.message, remedy: error.hint };
}

/** Only a session that is still being created can choose to go without an environment. */
function orWithout(refusal: EnvironmentRefusal): EnvironmentRefusal {
  return { ...refusal, remedy: `${refusal.remedy}; TILTH_DEPENDENCIES=none goes without an environment` };
}

function asUsage({ problem, remedy }: EnvironmentRefusal): TilthError {
  return new TilthError("usage", problem, remedy);
}
