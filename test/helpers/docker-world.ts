import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "../../cli/settings/settings.js";
import { asSessionId, type HostPath, hostPath, type SessionId } from "../../runner/base/ids.js";
import { openHands } from "../../runner/hands/docker/docker-hands.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import type { Hands } from "../../runner/hands/ports/hands.js";
import { type ClerkLimits, clerkLimits } from "../../runner/hands/roles/clerk/shell/limits.js";
import type { Settings } from "../../runner/settings/settings.js";
import { realImage } from "./image.js";
import { letContainersWrite } from "./worktree-folder.js";

/** Hands on the real engine over an empty worktree in a home of their own; disposing removes every trace of them. */
export class DockerWorld implements AsyncDisposable {
  private constructor(
    readonly engine: Engine,
    readonly settings: Settings,
    readonly session: SessionId,
    readonly worktree: HostPath,
    readonly hands: Hands,
  ) {}

  static async open(
    change: Partial<Settings["sandbox"]> = {},
    limits: Partial<ClerkLimits> = {},
  ): Promise<DockerWorld> {
    const { signal } = new AbortController();
    const base = loadSettings();
    const home = mkdtempSync(join(tmpdir(), "tilth-home-"));
    const settings = { ...base, home, sandbox: { ...base.sandbox, ...change } };
    const engine = await Engine.connect(settings, signal);
    const image = await realImage(engine);
    const session = asSessionId(`20250101-000000-${randomBytes(3).toString("hex")}`);
    if (!session) throw new Error("not a session id");
    const worktree = hostPath(join(home, "sessions", session, "workspace"));
    mkdirSync(worktree, { recursive: true });
    writeFileSync(join(worktree, ".git"), "gitdir: /nowhere\n");
    writeFileSync(join(home, "sessions", session, "prd.json"), "PRDCANARY\n");
    letContainersWrite(worktree);
    const ofClerk = { ...clerkLimits(settings.sandbox.diskBytes), ...limits };
    const hands = openHands({ engine, settings, session, worktree, image, clerkLimits: ofClerk, signal });
    return new DockerWorld(engine, settings, session, worktree, hands);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hands.discard();
    rmSync(this.settings.home, { recursive: true, force: true });
  }
}
