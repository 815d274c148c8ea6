import { lstatSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { TilthError } from "../../../base/errors.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import { HandsLost } from "../../ports/hands.js";
import type { SessionOfReading, SourceReading } from "../../ports/provider.js";
import type { FileRequest, GlobRequest, GrepRequest, SelectiveReading, Withholding } from "../../ports/reading.js";
import type { RoleView, Sandbox } from "../../ports/sandbox.js";
import type { Receipt } from "../../ports/work.js";
import { ContainerFiles } from "../container-files.js";
import type { SandboxStarts } from "../starts.js";

/** Reads a source as it is, uncommitted work included, in a sandbox that can change nothing of it. */
export class SandboxedReading implements SourceReading {
  private started: Promise<Sandbox> | null = null;

  constructor(
    private readonly options: Pick<SessionOfReading, "source" | "lostAsleep">,
    private readonly starts: Pick<SandboxStarts, "start" | "end">,
  ) {}

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
  private running(signal: AbortSignal): Promise<Sandbox> {
    this.started = this.after(this.started, signal);
    return this.started;
  }

  private async after(started: Promise<Sandbox> | null, signal: AbortSignal): Promise<Sandbox> {
    const before = await started?.catch(() => null);
    if (before && !before.isLost) return before;
    await before?.[Symbol.asyncDispose]();
    return this.starts.start(viewOf(this.options.source), signal);
  }
}

/** Hides every folder of git's own below the source. */
function viewOf({ workTree, gitDir, commonDir }: SessionOfReading["source"]): RoleView {
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
