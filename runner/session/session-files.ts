import { existsSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.js";
import { TilthError } from "../base/errors.js";
import type { HostPath, SessionId } from "../base/ids.js";
import { sweepTemporaries, writeFileAtomic } from "../disk/atomic-file.js";
import { diskTrouble } from "../disk/disk-trouble.js";
import { nodeIo, syncFolder } from "../disk/file-io.js";
import { OpenFolder, sayRefusal } from "../disk/read-regular.js";
import { forProgressLine, forTerminal } from "../text/sanitise.js";
import type { TaskFailure } from "./log/events/outcome.js";
import { type LedgerEntry, ledgerEntrySchema } from "./log/events/verdicts.js";
import { appendLines, wholeLines } from "./state/append-lines.js";
import { type Checkpoint, checkpointSchema } from "./state/checkpoint.js";
import { type Prd, prdSchema, type Task, type TaskStatus } from "./state/prd.js";
import { type SeedMeta, seedMetaSchema } from "./state/seed-meta.js";
import { type SessionPaths, sessionPaths } from "./state/session-paths.js";
import { loadState, loadTextIfThere, parseState, saveState } from "./state/state-file.js";
import { type Summary, summarySchema } from "./summary/summary-schema.js";

const maxSeedFileBytes = 4 * 1024 * 1024;
const maxSeedFiles = 10_000;

/**
 * The files of one session. Every load is checked in full (TilthError `usage` naming the file and the problem); every
 * write is atomic and durable (TilthError `infra`). Only the holder of the session's lock may write.
 */
export class SessionFiles {
  readonly id: SessionId;
  readonly paths: SessionPaths;
  readonly #clock: Pick<Clock, "now">;

  constructor(home: HostPath, id: SessionId, clock: Pick<Clock, "now">) {
    this.id = id;
    this.paths = sessionPaths(home, id);
    this.#clock = clock;
  }

  loadCheckpoint(): Checkpoint {
    return loadState(this.paths.checkpoint, checkpointSchema);
  }

  saveCheckpoint(checkpoint: Checkpoint): void {
    saveState(this.paths.checkpoint, checkpointSchema, checkpoint);
  }

  updateCheckpoint(change: Partial<Omit<Checkpoint, "v" | "id" | "updated_at">>): Checkpoint {
    const changed = { ...this.loadCheckpoint(), ...change, updated_at: this.#clock.now().toISOString() };
    this.saveCheckpoint(changed);
    return changed;
  }

  loadPrd(): Prd {
    return loadState(this.paths.prd, prdSchema);
  }

  /** False for a session whose interview was given up: it has no tasks. */
  hasPrd(): boolean {
    return lstatSync(this.paths.prd, { throwIfNoEntry: false }) !== undefined;
  }

  savePrd(prd: Prd): void {
    saveState(this.paths.prd, prdSchema, [...prd]);
  }

  /**
   * Changes one task's status. Once a session is prepared, its prd.json changes only in statuses and by added tasks.
   */
  setTaskStatus(taskId: string, status: TaskStatus): Prd {
    const prd = this.loadPrd();
    if (!prd.some((task) => task.id === taskId)) {
      throw new TilthError(
        "usage",
        `${this.paths.prd} has no task ${taskId}`,
        `correct that file, or remove the session: tilth reset ${this.id}`,
      );
    }
    const changed = prd.map((task) => (task.id === taskId ? { ...task, status } : task));
    this.savePrd(changed);
    return changed;
  }

  loadSeedMeta(): SeedMeta {
    return loadState(this.paths.seedMeta, seedMetaSchema);
  }

  saveSeedMeta(meta: SeedMeta): void {
    saveState(this.paths.seedMeta, seedMetaSchema, meta);
  }

  /** Saves the staged acceptance tests by bare file name. */
  saveSeed(tests: ReadonlyMap<string, string>): void {
    makeFolder(this.paths.seed);
    for (const [name, source] of tests) writeFileAtomic(join(this.paths.seed, name), source);
  }

  loadSeed(): ReadonlyMap<string, string> {
    using folder = this.#seedFolder();
    return new Map(this.#seedNames(folder).map((name) => [name, this.#seedFile(folder, name)]));
  }

  seedNames(): readonly string[] {
    using folder = this.#seedFolder();
    return this.#seedNames(folder);
  }

  /** Removes tests of a seed that was not taken after all. */
  dropSeed(names: readonly string[]): void {
    try {
      for (const name of names) unlinkSync(join(this.paths.seed, name));
      syncFolder(this.paths.seed, nodeIo);
    } catch (error) {
      throw diskTrouble("remove files of", this.paths.seed, error);
    }
  }

  /** Null before the first summary was written. */
  loadSummary(): Summary | null {
    const text = loadTextIfThere(this.paths.summary);
    return text === "" ? null : parseState(this.paths.summary, text, summarySchema);
  }

  saveSummary(summary: Summary): void {
    saveState(this.paths.summary, summarySchema, summary);
  }

  ledgerPath(taskId: string): string {
    if (!/^T-\d{3,}$/.test(taskId)) throw new TypeError(`not a task id: ${JSON.stringify(taskId)}`);
    return join(this.paths.ledgers, `${taskId}.jsonl`);
  }

  appendLedger(taskId: string, entry: LedgerEntry): void {
    makeFolder(this.paths.ledgers);
    appendLines(this.ledgerPath(taskId), `${JSON.stringify(ledgerEntrySchema.parse(entry))}\n`);
  }

  /** Oldest first; a torn last line is left out. */
  loadLedger(taskId: string): readonly LedgerEntry[] {
    const path = this.ledgerPath(taskId);
    return wholeLines(loadTextIfThere(path)).map((line, index) =>
      parseState(`line ${index + 1} of ${path}`, line, ledgerEntrySchema),
    );
  }

  /** Replaces the whole ledger. */
  saveLedger(taskId: string, entries: readonly LedgerEntry[]): void {
    makeFolder(this.paths.ledgers);
    writeFileAtomic(this.ledgerPath(taskId), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }

  appendProgress(task: Pick<Task, "id" | "title">, outcome: TaskOutcome): void {
    appendLines(this.paths.progress, `${progressLine({ ...task, outcome })}\n`);
  }

  /** Returns false if the file already has exactly these outcomes. */
  mendProgress(outcomes: readonly ToldOutcome[]): boolean {
    const lines = outcomes.map(progressLine);
    if (this.progress().join("\n") === lines.join("\n")) return false;
    writeFileAtomic(this.paths.progress, lines.map((line) => `${line}\n`).join(""));
    return true;
  }

  /** The lines of progress.txt, oldest first. */
  progress(): readonly string[] {
    return wholeLines(loadTextIfThere(this.paths.progress));
  }

  /** Adds one list item; its further lines are indented, so that items can be counted by their dash. */
  appendLearning(taskId: string, learning: string): void {
    const text = forTerminal(learning).trim().replace(/\n+/g, "\n  ");
    appendLines(this.paths.learnings, `- ${taskId}: ${text}\n`);
  }

  countLearnings(): number {
    return wholeLines(loadTextIfThere(this.paths.learnings)).filter((line) => line.startsWith("- ")).length;
  }

  savePartialPatch(patch: Uint8Array): void {
    writeFileAtomic(this.paths.partialPatch, patch);
  }

  /** Removes temporaries of a writer that died; the caller must have just taken the lock. */
  sweep(): void {
    const now = this.#clock.now();
    for (const folder of [this.paths.folder, this.paths.seed, this.paths.ledgers]) sweepTemporaries(folder, now);
  }

  #seedFolder(): OpenFolder {
    const folder = OpenFolder.open(this.paths.seed, false);
    if (folder === null) throw this.#seedProblem(this.paths.seed, "is not a folder of tests");
    return folder;
  }

  #seedNames(folder: OpenFolder): readonly string[] {
    const names = folder.names(maxSeedFiles);
    if (names === null) throw this.#seedProblem(this.paths.seed, "holds too many files");
    return names.filter((name) => !name.endsWith(".tmp"));
  }

  #seedFile(folder: OpenFolder, name: string): string {
    const file = folder.read(name, maxSeedFileBytes);
    if (file.ok) return file.content.toString("utf8");
    if (file.why === "unreadable") throw diskTrouble("read", join(this.paths.seed, name), file.cause);
    throw this.#seedProblem(join(this.paths.seed, name), sayRefusal(file));
  }

  #seedProblem(path: string, problem: string): TilthError {
    return new TilthError("usage", `${path} ${problem}`, `correct it, or remove the session: tilth reset ${this.id}`);
  }
}

export type TaskOutcome = "done" | TaskFailure;

interface ToldOutcome {
  readonly id: string;
  readonly title: string;
  readonly outcome: TaskOutcome;
}

/** A line of progress.txt, without its line break. */
export function progressLine({ id, title, outcome }: ToldOutcome): string {
  return [id, outcome === "done" ? outcome : `failed:${outcome}`, forProgressLine(title)].join("\t");
}

/** Makes only this folder, not its parents: a session that was moved away must not reappear in its old place. */
function makeFolder(path: string): void {
  try {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    throw diskTrouble("make the folder", path, error);
  }
}
