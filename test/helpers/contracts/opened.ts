import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadSettings } from "../../../cli/settings/settings.js";
import { asSessionId, type HostPath, hostPath, type SessionId } from "../../../runner/base/ids.js";
import type { HandsImage } from "../../../runner/hands/ports/hands.js";
import type { HandsOrigin, HandsProvider } from "../../../runner/hands/ports/provider.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { GitRepo } from "../git-repo.js";
import { letContainersWrite } from "../worktree-folder.js";
import type { HandsWorld } from "./hands-contract.js";
import type { OpenedReading } from "./reading-contract.js";

const { signal } = new AbortController();

export function newSession(): SessionId {
  const id = asSessionId(`20250101-000000-${randomBytes(3).toString("hex")}`);
  if (!id) throw new Error("not a session id");
  return id;
}

/** The machine's settings with an empty home. */
export function withOwnHome(): Settings {
  return { ...loadSettings(), home: mkdtempSync(join(tmpdir(), "tilth-home-")) };
}

/** Makes the folder of a session with an empty worktree. */
export function worktreeIn(home: string, session: SessionId): HostPath {
  const worktree = hostPath(join(home, "sessions", session, "workspace"));
  mkdirSync(worktree, { recursive: true });
  writeFileSync(join(worktree, ".git"), "gitdir: /nowhere\n");
  letContainersWrite(worktree);
  return worktree;
}

/** Opens hands over an empty worktree. */
export async function openedHands(origin: HandsOrigin): Promise<HandsWorld> {
  const { home, ...settings } = withOwnHome();
  const provider = await origin.connect({ ...settings, home }, signal);
  const session = newSession();
  const worktree = worktreeIn(home, session);
  const hands = provider.open({ session, image: await imageOf(provider), worktree, signal });
  return { hands, [Symbol.asyncDispose]: async () => rmSync(home, { recursive: true, force: true }) };
}

/** Opens a source with these files; a value that begins with `->` is a link. */
export async function openedReading(
  origin: HandsOrigin,
  files: Readonly<Record<string, string>>,
): Promise<OpenedReading> {
  const settings = withOwnHome();
  const provider = await origin.connect(settings, signal);
  const repo = GitRepo.withCommit({ "README.md": "gone\n" });
  rmSync(join(repo.path, "README.md"));
  for (const [path, text] of Object.entries(files)) put(join(repo.path, path), text);
  const source = await repo.preflight();
  const reading = provider.openReading({ session: newSession(), image: await imageOf(provider), source });
  return {
    reading,
    [Symbol.asyncDispose]: async () => {
      await reading[Symbol.asyncDispose]();
      repo[Symbol.dispose]();
      rmSync(settings.home, { recursive: true, force: true });
    },
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const target = /^->(.*)$/.exec(text)?.[1];
  if (target === undefined) writeFileSync(path, text);
  else symlinkSync(target, path);
}

async function imageOf(provider: HandsProvider): Promise<HandsImage> {
  return (await provider.image(signal)) ?? (await provider.images.build(() => undefined, signal));
}
