import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuiltEnvironment } from "../../runner/hands/ports/environment.js";
import type { Hands, HandsImage } from "../../runner/hands/ports/hands.js";
import { type CheckFunction, FakeChecks, passWhatTheTreeHas } from "./fake-checks.js";
import { FakeClerk } from "./fake-clerk.js";
import { FakeWork } from "./fake-work.js";

export interface FakeHandsOptions {
  /** a temporary folder of the test, in which `repo.git` and `scratch.git` are made */
  readonly folder: string;
  /** the worktree; `workspace` in `folder` unless given */
  readonly worktree?: string;
  readonly check?: CheckFunction;
}

/** Hands on the host's own git and shell: very quick, and without any protection. */
export class FakeHands implements Hands {
  readonly image: HandsImage = {
    id: `sha256:${"0".repeat(64)}`,
    recipe: "fake",
    runtime: "none",
    platform: "linux amd64 Python 3.11",
    tools: ["Python 3", "pytest", "ruff"],
  };
  readonly clerk: FakeClerk;
  readonly work: FakeWork;
  readonly checks: FakeChecks;
  discarded = false;
  /** the environments that were in use, in turn */
  readonly environments: (BuiltEnvironment | null)[] = [];
  disposed = false;

  private constructor(
    private readonly repo: string,
    readonly worktree: string,
    scratch: string,
    check: CheckFunction,
  ) {
    this.clerk = new FakeClerk(repo, worktree);
    this.work = new FakeWork(worktree, repo, scratch);
    this.checks = new FakeChecks(check, async (tree, path) => {
      const content = await this.clerk.blob(tree, path, 1_000_000);
      return content && Buffer.from(content).toString("utf8");
    });
  }

  static async open(options: FakeHandsOptions): Promise<FakeHands> {
    const worktree = options.worktree ?? join(options.folder, "workspace");
    await mkdir(worktree, { recursive: true });
    const [repo, scratch] = [join(options.folder, "repo.git"), join(options.folder, "scratch.git")];
    return new FakeHands(repo, worktree, scratch, options.check ?? passWhatTheTreeHas);
  }

  useEnvironment(environment: BuiltEnvironment | null): void {
    this.environments.push(environment);
  }

  checkIn(environment: BuiltEnvironment | null): void {
    this.environments.push(environment);
  }

  tellReceipts(): void {}

  async discard(): Promise<void> {
    this.discarded = true;
    await rm(this.repo, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }
}
