import { type EnvironmentGround, ensureEnvironment } from "./ensure-environment.js";
import { type DependencyFiles, dependencyFiles, mayDeclare, type TreeFiles } from "./environment/dependency-files.js";
import { type EnvironmentChoice, environmentKey, namedIn, sha256 } from "./environment/environment-key.js";
import type { EnvironmentRecord } from "./environment/environment-store.js";
import { names } from "./environment/named-by.js";
import { idOf, type PastEnvironment, PastEnvironments, type TreeOfTask } from "./environment/past-environments.js";
import { TilthError } from "./errors.js";
import type { EnvironmentRefusal } from "./hands/environment-port.js";
import type { Hands } from "./hands/hands.js";
import type { Environments, ForTree, Placed } from "./loop/environments.js";
import type { EnvironmentShown } from "./memory/environment-text.js";
import { EnvironmentLocks } from "./session/environment-locks.js";
import type { SessionFiles } from "./session/session-files.js";
import { counted } from "./support/counted.js";
import { type TreeId, treeId } from "./support/ids.js";
import { lazily } from "./support/lazily.js";
import { ClerkFiles, withUnchanged } from "./tree-files.js";

export interface SessionEnvironmentParts extends Omit<EnvironmentGround, "session"> {
  readonly files: SessionFiles;
  readonly baseFiles: () => Promise<DependencyFiles | null>;
  readonly hands: Pick<Hands, "clerk" | "useEnvironment" | "checkIn">;
  /** settles when the clerk holds the session's objects */
  readonly repository: () => Promise<unknown>;
  readonly choice: EnvironmentChoice;
}

interface Making extends PastEnvironment {
  readonly key: string;
  readonly files: () => Promise<DependencyFiles>;
  readonly prefer?: string | null;
  readonly span?: ForTree["span"];
}

/** One that stands on the engine; null where the dependency files ask for none. */
type Standing = EnvironmentRecord | null;

/** The environments of one session: of its base, and of each tree whose task changes what the project needs. */
export class SessionEnvironments implements Environments {
  readonly #parts: SessionEnvironmentParts;
  readonly #locks: EnvironmentLocks;
  readonly #tried = new Map<string, Standing>();
  #past = new PastEnvironments();
  #inForce: Standing = null;
  #filesInForce: () => Promise<DependencyFiles>;

  constructor(parts: SessionEnvironmentParts) {
    this.#parts = parts;
    this.#locks = new EnvironmentLocks(parts.files.paths);
    this.#filesInForce = lazily(() => this.#filesOf(null));
  }

  get shown(): EnvironmentShown | null {
    if (!this.#inForce?.built || this.#inForce.taken.length === 0) return null;
    const { python, pytest, packages, taken } = this.#inForce;
    return { python, pytest, packages, file: filesIn(taken).join(", ") };
  }

  /** For a session that is being made. TilthError `usage` where its base asks for what cannot be had. */
  async stage(): Promise<void> {
    const files = this.#parts.choice.dependencies === "none" ? null : await this.#parts.baseFiles();
    if (files === null) return this.#record({ key: null, tree: null }, null);
    const made = await this.#make({ key: this.#keyOf(files), tree: null, files: async () => files });
    if (!made.ok) throw asUsage(made.refusal.kind === "failed" ? orWithout(made.refusal) : made.refusal);
    this.#tell(made.standing);
    this.#enforce(made.standing, null);
  }

  /** For a session that has its environments on record: the one in force then is in force now. */
  async goOn(past: PastEnvironments): Promise<void> {
    this.#past = past;
    if (past.inForce !== null) this.#enforce(await this.#again(past.inForce), past.inForce.tree);
  }

  async putInForce(accepted: TreeOfTask): Promise<void> {
    const known = this.#tried.get(idOf(accepted));
    const past = this.#past.of(accepted);
    if (known !== undefined) this.#enforce(known, accepted.tree);
    else if (past !== undefined) this.#enforce(await this.#again(past), accepted.tree);
    else this.useInForce();
  }

  useInForce(): void {
    this.#use(this.#inForce);
  }

  async useFor(submitted: ForTree): Promise<Placed> {
    const changed = this.#parts.choice.dependencies === "none" ? [] : await this.#changedBy(submitted);
    const unnamed = changed.filter((path) => !names(submitted.taskText, path));
    const notes = unnamed.map(
      (path) => `${path} changes, and the task does not name it: the check runs in the environment in force`,
    );
    if (changed.length === unnamed.length) {
      this.useInForce();
      return { ok: true, notes };
    }
    const made = await this.#forTree(submitted, unnamed);
    if (!made.ok) return { ok: false, problem: `${made.refusal.problem}\n→ ${made.refusal.remedy}` };
    this.#tried.set(idOf({ ...submitted.span, tree: submitted.tree }), made.standing);
    this.#parts.hands.checkIn(made.standing?.built ?? null);
    return { ok: true, notes };
  }

  async #forTree({ tree, last, span }: ForTree, unnamed: readonly string[]): Promise<Made> {
    const known = this.#tried.get(idOf({ ...span, tree }));
    if (known !== undefined) return { ok: true, standing: known };
    const [now, before] = [this.#treeFiles(tree), this.#treeFiles(last)];
    const files = await dependencyFiles(withUnchanged(now, before, unnamed), this.#named).catch(asRefusal);
    if (files !== null && "kind" in files) return { ok: false, refusal: files };
    if (files === null) {
      this.#record({ key: null, tree }, null, { span });
      return { ok: true, standing: null };
    }
    const prefer = this.#inForce?.lock ?? null;
    const made = await this.#make({ key: this.#keyOf(files), tree, prefer, files: async () => files, span });
    if (!made.ok && made.refusal.kind === "failed")
      throw new TilthError("infra", made.refusal.problem, made.refusal.remedy);
    return made;
  }

  async #changedBy({ changes }: ForTree): Promise<readonly string[]> {
    if (changes.length === 0) return [];
    const { files } = await this.#filesInForce();
    const counts = (path: string) => mayDeclare(path, this.#named) || files.has(path);
    return changes.map(({ path }) => path).filter(counts);
  }

  async #make({ span, ...making }: Making): Promise<Made> {
    const { choice, files } = this.#parts;
    const began = performance.now();
    // what the session has resolved before stays as it was
    const wanted = { ...making, choice, lock: this.#locks.load(making.key) };
    const ensured = await ensureEnvironment({ ...this.#parts, session: files.id }, wanted);
    if (ensured.kind !== "known") return { ok: false, refusal: ensured };
    const { record, built } = ensured;
    const standing = record.built === null ? null : { ...record, key: making.key };
    if (standing) this.#locks.save(making.key, standing.lock);
    const key = standing ? making.key : null;
    this.#record({ key, tree: making.tree }, record, { span, built, ms: Math.round(performance.now() - began) });
    return { ok: true, standing };
  }

  /** From its lock, as it was. */
  async #again({ key, tree }: PastEnvironment): Promise<Standing> {
    if (key === null) return null;
    const { choice, files } = this.#parts;
    const wanted = { key, choice, lock: this.#locks.get(key), files: () => this.#filesOf(tree) };
    const ensured = await ensureEnvironment({ ...this.#parts, session: files.id }, wanted);
    if (ensured.kind !== "known") throw asUsage(ensured);
    return { ...ensured.record, key };
  }

  async #filesOf(tree: string | null): Promise<DependencyFiles> {
    const files = tree === null ? this.#parts.baseFiles() : dependencyFiles(this.#treeFiles(treeId(tree)), this.#named);
    return (await files) ?? { files: new Map(), paths: [] };
  }

  #treeFiles(tree: TreeId): TreeFiles {
    const { hands, repository, signal } = this.#parts;
    return new ClerkFiles({ clerk: hands.clerk, repository, signal }, tree);
  }

  #keyOf(files: DependencyFiles): string {
    const { choice, image } = this.#parts;
    return environmentKey({ ...files, choice, recipe: image.recipe, platform: image.platform });
  }

  get #named(): readonly string[] | null {
    return namedIn(this.#parts.choice);
  }

  #enforce(standing: Standing, tree: string | null): void {
    this.#inForce = standing;
    this.#filesInForce = lazily(() => this.#filesOf(tree));
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

  #record({ key, tree }: PastEnvironment, record: Standing, { span, built = false, ms = 0 }: Doing = {}): void {
    const { choice, log } = this.#parts;
    const { dependencies, fromSource, version } = choice;
    log.append("environment", {
      ...span,
      key,
      tree,
      dependencies: dependencies === "none" || dependencies === null ? dependencies : [...dependencies],
      from_source: [...fromSource],
      version,
      taken: record?.taken ?? [],
      packages: record?.packages.length ?? 0,
      python: record?.python ?? "",
      pytest: record?.pytest ?? "",
      lock: record ? sha256(record.lock) : null,
      built,
      said: record?.said ?? [],
      ms,
    });
  }
}

interface Doing {
  readonly span?: ForTree["span"] | undefined;
  readonly built?: boolean;
  readonly ms?: number;
}

type Made =
  | { readonly ok: true; readonly standing: Standing }
  | { readonly ok: false; readonly refusal: EnvironmentRefusal };

/** Of `taken`, each tells the part of a file that counts. */
function filesIn(taken: readonly string[]): readonly string[] {
  return [...new Set(taken.map((each) => each.replace(/ \[.*$/, "")))];
}

/** A tree whose files cannot be taken is no trouble of the run: whoever made it can make another. */
function asRefusal(error: unknown): EnvironmentRefusal {
  if (!(error instanceof TilthError) || error.code !== "usage") throw error;
  return { kind: "refused", problem: error.message, remedy: error.hint };
}

/** Only a session that is not made yet can still be made without an environment. */
function orWithout(refusal: EnvironmentRefusal): EnvironmentRefusal {
  return { ...refusal, remedy: `${refusal.remedy}; TILTH_DEPENDENCIES=none goes without an environment` };
}

function asUsage({ problem, remedy }: EnvironmentRefusal): TilthError {
  return new TilthError("usage", problem, remedy);
}
