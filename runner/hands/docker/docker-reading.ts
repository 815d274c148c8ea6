import { lstatSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { TilthError } from "../../base/errors.js";
import type { Settings } from "../../settings/settings.js";
import { againAfterSleep } from "../ports/after-sleep.js";
import { HandsLost } from "../ports/hands.js";
import type { SessionOfReading, SourceReading } from "../ports/provider.js";
import type { FileRequest, GlobRequest, GrepRequest, SelectiveReading, Withholding } from "../ports/reading.js";
import type { Receipt } from "../ports/work.js";
import { ContainerFiles } from "../roles/container-files.js";
import type { Container } from "./container/container.js";
import type { RoleView } from "./container/container-spec.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";
import { isolationOf, RoleStarts, specContext } from "./role-starts.js";

export interface ReadingOptions extends SessionOfReading {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
}

/** Reads a source as it is, uncommitted work included, in a container that can change nothing of it. */
export function openReading(options: ReadingOptions): SourceReading {
  return new DockerReading(options);
}

class DockerReading implements SourceReading {
  private readonly starts: RoleStarts;
  private started: Promise<Container> | null = null;

  constructor(private readonly options: ReadingOptions) {
    const made = { context: specContext(options), isolation: isolationOf(options) };
    this.starts = new RoleStarts(options.engine, made, Promise.resolve(options.cleared));
  }

  /** Throws NotIsolated when the container cannot prove its isolation; a lost one is started again. */
  async start(signal: AbortSignal): Promise<Receipt> {
    return (await againAfterSleep(() => this.running(signal), this.options.lostAsleep)).receipt;
  }

  readFile(request: FileRequest, withhold: Withholding, signal: AbortSignal) {
    return this.asked((files) => files.readFile(request, withhold, signal), signal);
  }

  glob(request: GlobRequest, withhold: Withholding, signal: AbortSignal) {
    return this.asked((files) => files.glob(request, withhold, signal), signal);
  }

  grep(request: GrepRequest, withhold: Withholding, signal: AbortSignal) {
    return this.asked((files) => files.grep(request, withhold, signal), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.starts.end();
    const started = await this.started?.catch(() => null);
    await started?.[Symbol.asyncDispose]();
  }

  /** Reading changes nothing, so a lost request is simply repeated. */
  private async asked<T>(ask: (files: SelectiveReading) => Promise<T>, signal: AbortSignal): Promise<T> {
    const once = () => againAfterSleep(async () => ask(await this.files(signal)), this.options.lostAsleep);
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof HandsLost)) throw error;
    }
    try {
      return await once();
    } catch (error) {
      throw error instanceof HandsLost ? lostAgain(error) : error;
    }
  }

  private async files(signal: AbortSignal): Promise<ContainerFiles> {
    const container = await this.running(signal);
    return new ContainerFiles(() => container);
  }

  /** Starts one after the other, so that there are never two. */
  private running(signal: AbortSignal): Promise<Container> {
    this.started = this.after(this.started, signal);
    return this.started;
  }

  private async after(started: Promise<Container> | null, signal: AbortSignal): Promise<Container> {
    const before = await started?.catch(() => null);
    if (before && !before.isLost) return before;
    await before?.[Symbol.asyncDispose]();
    return this.starts.start(viewOf(this.options.source), signal);
  }
}

/** Hides every folder of git's own below the source. */
function viewOf({ workTree, gitDir, commonDir }: ReadingOptions["source"]): RoleView {
  const dotGit = lstatSync(join(workTree, ".git"));
  const inside = [...new Set([gitDir, commonDir])].map((path) => relative(workTree, path));
  const gitFolders = inside.filter((path) => !isOutside(path) && !isBelow(path, ".git"));
  const gitIs = dotGit.isSymbolicLink() ? "link" : dotGit.isDirectory() ? "folder" : "file";
  return { role: "read", source: workTree, gitIs, gitFolders };
}

function isOutside(path: string): boolean {
  return path === "" || isBelow(path, "..");
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

function lostAgain(error: HandsLost): TilthError {
  return new TilthError("infra", `the source could not be read: ${error.message}, twice`, "tilth doctor", error);
}
