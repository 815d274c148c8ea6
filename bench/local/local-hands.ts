import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Hands, HandsImage } from "../../runner/hands/ports/hands.js";
import { FakeClerk } from "../../test/helpers/fake-clerk.js";
import { LocalChecks } from "./local-checks.js";
import { LocalWork } from "./local-work.js";

/** Hands without containers, as in every harness without a sandbox: git, a shell and pytest of the host. */
export class LocalHands implements Hands {
  readonly clerk: FakeClerk;
  readonly work: LocalWork;
  readonly checks: LocalChecks;

  constructor(
    readonly image: HandsImage,
    private readonly folder: string,
    worktree: string,
    bin: string,
  ) {
    const repo = join(folder, "repo.git");
    this.clerk = new FakeClerk(repo, worktree);
    this.work = new LocalWork({ worktree, repo, scratch: join(folder, "scratch.git") }, bin);
    this.checks = new LocalChecks(repo, bin);
  }

  static open(image: HandsImage, below: string, worktree: string, bin: string): LocalHands {
    mkdirSync(worktree, { recursive: true });
    return new LocalHands(image, mkdtempSync(join(below, "local-")), worktree, bin);
  }

  useEnvironment(): void {}

  checkIn(): void {}

  tellReceipts(): void {}

  async discard(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
