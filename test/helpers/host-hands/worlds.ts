import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "../../../runner/base/ids.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { newSession, withOwnHome, worktreeIn } from "../contracts/opened.js";
import type { ProviderWorld } from "../contracts/provider-contract.js";
import type { SandboxWorld } from "../contracts/sandbox-contract.js";
import { HostImages } from "./host-images.js";
import { hostOrigin } from "./host-provider.js";
import { HostSandbox } from "./host-sandbox.js";
import { isDead, notesIn, thisProcess, writeNote } from "./owner.js";
import { openFolder, placesIn, repositoryOf } from "./places.js";

const { signal } = new AbortController();

/** Makes a folder that programs may be run from: tests like memory best, but it may be mounted without that. */
export function folderForPrograms(): string {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const shut = mounts.map((line) => line.split(" ")).filter(([, , , options = ""]) => options.includes("noexec"));
  const isShut = shut.some(([, at = ""]) => tmpdir().startsWith(`${at}/`));
  return mkdtempSync(join(isShut ? "/var/tmp" : tmpdir(), "tilth-host-"));
}

/** Sandboxes of the role `work`, over one worktree. */
export async function hostSandboxes(images: string): Promise<SandboxWorld> {
  const settings = withOwnHome();
  const session = newSession();
  openFolder(repositoryOf(placesIn(settings.home), session));
  const worktree = worktreeIn(settings.home, session);
  const of = await startsOf(images, settings, session);
  return {
    start: (more) => HostSandbox.start({ role: "work", worktree }, of, signal, more),
    kill: async (sandbox) => {
      if (!(sandbox instanceof HostSandbox)) throw new Error("another sandbox than those of this host");
      sandbox.kill();
    },
    [Symbol.asyncDispose]: async () => rmSync(settings.home, { recursive: true, force: true }),
  };
}

/** This host as a provider, seen from beside it. */
export async function hostProvider(images: string): Promise<ProviderWorld> {
  const settings = withOwnHome();
  const places = placesIn(settings.home);
  const notesOf = (session: SessionId) => [...notesIn(places.sandboxes)].filter(([, note]) => note.session === session);
  const owner = { ...thisProcess(), started: "1" };
  return {
    origin: hostOrigin(images),
    settings,
    sandboxes: async (session) =>
      notesOf(session).filter(([, { process }]) => process !== null && !isDead(process)).length,
    leaveBehind: async (session) => {
      writeNote(openFolder(repositoryOf(places, session)), { session, owner });
      const worktree = worktreeIn(settings.home, newSession());
      await HostSandbox.start({ role: "clerk", worktree }, await startsOf(images, settings, session), signal);
      for (const [name, note] of notesOf(session)) writeNote(join(places.sandboxes, name), { ...note, owner });
    },
    keepsRepository: async (session) => existsSync(repositoryOf(places, session)),
    [Symbol.asyncDispose]: async () => rmSync(settings.home, { recursive: true, force: true }),
  };
}

async function startsOf(images: string, settings: Settings, session: SessionId) {
  const all = new HostImages(images, settings);
  const image = all.current() ?? (await all.build(() => undefined, signal));
  return { places: placesIn(settings.home), session, root: all.rootOf(image.id) };
}
