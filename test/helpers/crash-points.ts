import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareCommits } from "../../runner/app/verify/committed/committed.js";
import { Findings } from "../../runner/app/verify/log/findings.js";
import { compareFiles, readRecorded } from "../../runner/app/verify/recorded/recorded.js";
import { isFinished, rowOf } from "../../runner/session/listing.js";
import { synced } from "../../runner/session/log/event-log.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import { copyFolder } from "./copy-folder.js";
import { GitRepo, never } from "./git-repo.js";
import { loopSettings } from "./loop-settings.js";
import { planted } from "./numbered-seed.js";
import { eventsOf, type Plugged, workToTheEnd } from "./plug.js";
import type { TaskKind } from "./stateless-model.js";

interface Copy {
  readonly folder: string;
  readonly events: readonly TilthEvent[];
}

export interface CrashPoint {
  readonly name: string;
  readonly copy: Copy;
  /** the number of events that a power cut left */
  readonly kept: number;
}

export interface SessionEnd {
  readonly status: string;
  readonly statuses: readonly string[];
  readonly progress: readonly string[];
  readonly commits: number;
  readonly tree: string;
  readonly differs: readonly string[];
}

/** A session that was run once undisturbed, with a copy of everything on the disk after each of its events. */
export class CrashPoints implements Disposable {
  readonly #repo: GitRepo;
  readonly #copies: Copy[] = [];
  readonly #kept = mkdtempSync(join(tmpdir(), "tilth-crash-"));
  readonly #plugged: Plugged;

  private constructor(repo: GitRepo, plugged: Plugged) {
    this.#repo = repo;
    this.#plugged = plugged;
  }

  static async record(kinds: readonly TaskKind[]): Promise<{ points: CrashPoints; undisturbed: SessionEnd }> {
    const repo = GitRepo.withCommit({ "README.md": "# x\n" });
    const { files } = await planted(repo, { tasks: kinds.length });
    const points = new CrashPoints(repo, { source: await repo.preflight(), folder: repo.root, files, kinds });
    await workToTheEnd(points.#plugged, () => points.#copy());
    return { points, undisturbed: await endedOf(repo, files) };
  }

  /** Every state of the disk, combined with every tail of the unsynced log that a power cut may have taken. */
  all(): readonly CrashPoint[] {
    return this.#copies.flatMap((copy, at) => {
      const { events } = copy;
      const firm = events.findLastIndex(({ type }) => synced.has(type)) + 1;
      const tails = Array.from({ length: events.length - firm + 1 }, (_, lost) => events.length - lost);
      return tails.map((kept) => ({ name: nameOf(at, events, kept), copy, kept }));
    });
  }

  /**
   * Resumes the session from that point to its end, as another process would; `meanwhile` may do more to its folder.
   */
  async resumedFrom({ copy, kept }: CrashPoint, meanwhile: (plugged: Plugged) => void = () => {}): Promise<SessionEnd> {
    const { files } = this.#plugged;
    rmSync(this.#repo.root, { recursive: true, force: true });
    copyFolder(copy.folder, this.#repo.root);
    const left = copy.events.slice(0, kept).map((event) => `${JSON.stringify(event)}\n`);
    truncateSync(files.paths.events, Buffer.byteLength(left.join("")));
    rmSync(files.paths.lock, { force: true });
    meanwhile(this.#plugged);
    if (!isFinished(rowOf(files, new Date()))) await workToTheEnd(this.#plugged);
    return await endedOf(this.#repo, files);
  }

  [Symbol.dispose](): void {
    rmSync(this.#kept, { recursive: true, force: true });
    this.#repo[Symbol.dispose]();
  }

  #copy(): void {
    const folder = join(this.#kept, String(this.#copies.length));
    copyFolder(this.#repo.root, folder);
    this.#copies.push({ folder, events: eventsOf(this.#plugged.files) });
  }
}

/** Describes how a session stands, in words that are equal for equal sessions. */
export async function endedOf(repo: GitRepo, files: SessionFiles): Promise<SessionEnd> {
  const branch = `session/${files.id}`;
  return {
    status: files.loadCheckpoint().status,
    statuses: files.loadPrd().map(({ status }) => status),
    progress: files.progress(),
    commits: Number(repo.git("rev-list", "--count", `main..${branch}`)),
    tree: repo.git("rev-parse", `${branch}^{tree}`).trim(),
    differs: await differs(repo, files),
  };
}

/** Lists what `verify` objects to, without running its checks again. */
async function differs(repo: GitRepo, files: SessionFiles): Promise<readonly string[]> {
  const findings = new Findings();
  const settings = { ...loopSettings(repo.tilthHome, {}), host: repo.places() };
  const recorded = await readRecorded(files, findings);
  if (recorded !== null) {
    compareFiles(recorded, files, findings);
    await compareCommits(recorded, { settings, files, findings, signal: never });
  }
  return findings.differs.map(({ what, where, expected, seen }) => `${what}, ${where}: ${expected}, not ${seen}`);
}

function nameOf(at: number, events: readonly TilthEvent[], kept: number): string {
  const last = events.at(-1);
  const task = last && "task_id" in last.payload ? ` of ${last.payload.task_id}` : "";
  const lost = events.length - kept;
  return `${at}: ${last?.type}${task}${lost === 0 ? "" : `, and ${lost} of the log lost`}`;
}
