import { statSync } from "node:fs";
import { TilthError } from "../../base/errors.js";
import { hostPath } from "../../base/ids.js";
import type { HandsImage } from "../../hands/ports/hands.js";
import { containerIdentity, type Identity } from "../../hands/ports/identity.js";
import type { HandsOrigin, HandsProvider } from "../../hands/ports/provider.js";
import { usualOrigin } from "../../hands/provider.js";
import type { Settings } from "../../settings/settings.js";
import { HostGit } from "../../source/git/host-git.js";
import { shellWord } from "../../source/git/shell-word.js";
import { preflightSource, type Source } from "../../source/preflight/preflight.js";

/** The provider of hands, its image and the examined source that a session needs. */
export interface Basis {
  readonly provider: HandsProvider;
  readonly image: HandsImage;
  readonly source: Source;
}

/** The wishes of a caller who opens hands. */
export interface HandsWishes {
  readonly settings: Settings;
  /** where the hands come from; the usual place unless given */
  readonly origin?: HandsOrigin;
  readonly signal: AbortSignal;
}

export interface BasisOptions extends HandsWishes {
  readonly source: string;
  readonly trustSource: boolean;
}

/** Throws TilthError `usage` if one of the three is not as it must be; nothing has been changed then. */
export async function findBasis(options: BasisOptions): Promise<Basis> {
  const [source, hands] = await Promise.all([findSource(options), findHands(options)]);
  return { source, ...hands };
}

export async function findSource({ settings, source, trustSource, signal }: BasisOptions): Promise<Source> {
  const git = HostGit.find(settings.host);
  return await preflightSource(source, { git, home: hostPath(settings.home), trust: trustSource, signal });
}

export async function findHands(wishes: HandsWishes): Promise<Omit<Basis, "source">> {
  const { settings, origin = usualOrigin, signal } = wishes;
  const provider = await origin.connect(settings, signal);
  return { provider, image: await builtImage(provider, signal) };
}

/** Throws TilthError `usage` when no image is built. */
export async function builtImage(provider: HandsProvider, signal: AbortSignal): Promise<HandsImage> {
  const image = await provider.image(signal);
  if (image !== null) return image;
  throw new TilthError("usage", "the hands image is not built yet", "tilth image build");
}

/** Lists remarks a person should see before anything starts. */
export function remarksOn(source: Source): readonly string[] {
  const { author, dirty, trustedKeys } = source;
  const remarks = [`commits will be by ${author.name} <${author.email}> (${author.from})`];
  if (dirty === "dirty") remarks.push("the source has uncommitted changes; they are not part of the base");
  if (dirty === "unknown") remarks.push("tilth could not tell whether the source has uncommitted changes");
  if (trustedKeys.length > 0) remarks.push(`trusted settings of the source: ${trustedKeys.join(", ")}`);
  return remarks;
}

/** Adds a remark before an interview: its container is not root, and may not be allowed to read the source folder. */
export function remarksOnReading(
  { workTree }: Pick<Source, "workTree">,
  identity: Identity = containerIdentity(),
): readonly string[] {
  const { uid, gid, mode } = statSync(workTree);
  const permitted = identity.uid === uid ? mode >> 6 : identity.gid === gid ? mode >> 3 : mode;
  if ((permitted & 0o5) === 0o5) return [];
  return [
    `the interviewer will see nothing of the source: its container runs as user ${identity.uid}, who may not read that folder; chmod -R o+rX ${shellWord(workTree)}`,
  ];
}
