import { awakeSignal } from "../../../base/awake.js";
import { TilthError } from "../../../base/errors.js";
import type { Settings } from "../../../settings/settings.js";
import { reasonOf } from "../engine/engine-errors.js";
import { type BuildContext, followStream, localImage, madeImage } from "./image-engine.js";
import { type Base, pinnedBase } from "./image-recipe.js";
import { hostSuite, importSuite } from "./image-suite.js";

const registryPatienceMs = 8_000;
const byDigest = /^[\w][\w.:/-]*@(sha256:[0-9a-f]{64})$/;
const byId = /^sha256:[0-9a-f]{64}$/;

/** Lists the bases that an image on this host may stand on, the preferred one first. */
export function possibleBases(settings: Settings): readonly Base[] {
  const wanted = settings.baseImage;
  if (wanted !== null) return [namedBase(wanted)];
  const suite = hostSuite();
  return [namedBase(pinnedBase()), ...(suite ? [suite.base] : [])];
}

function namedBase(reference: string): Base {
  if (byId.test(reference)) return { identity: `image ${reference}`, shown: reference };
  const digest = byDigest.exec(reference)?.[1];
  if (digest) return { identity: `digest ${digest}`, shown: reference };
  throw new TilthError(
    "usage",
    `the base image ${JSON.stringify(reference)} is not named by digest`,
    "write it as NAME@sha256:…, which docker buildx imagetools inspect NAME shows, or as the sha256:… id of an image on the engine",
  );
}

/** Brings a base onto the engine: it is there already, comes from a registry, or is made of Debian's packages. */
export async function obtainBase(context: BuildContext): Promise<{ base: Base; imageId: string }> {
  const { settings, say } = context;
  const [preferred] = possibleBases(settings);
  if (!preferred) throw new Error("no base is possible");
  const here = await localImage(preferred.shown, context);
  if (here) return { base: preferred, imageId: here.Id };
  if (settings.baseImage !== null) return { base: preferred, imageId: await pull(preferred, context) };
  if (await registryHas(preferred, context)) return { base: preferred, imageId: await pull(preferred, context) };
  say(`no image registry answers for ${preferred.shown}`);
  const suite = hostSuite();
  if (!suite)
    throw new TilthError(
      "usage",
      "the hands image cannot be built: no image registry answers, and only a Debian or Ubuntu host can make a base of its own packages",
      "name a base that the engine can reach: tilth image build --base NAME@sha256:…",
    );
  return { base: suite.base, imageId: await importSuite(suite, context) };
}

/** Asks the engine, which knows the proxies and mirrors, for the manifest only: that is quick or fails. */
async function registryHas(base: Base, { engine, signal }: BuildContext): Promise<boolean> {
  const patience = AbortSignal.any([signal, awakeSignal(registryPatienceMs)]);
  try {
    await engine.docker.getImage(base.shown).distribution({ abortSignal: patience });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function pull(base: Base, context: BuildContext): Promise<string> {
  const { engine, say, signal } = context;
  say(`pulling ${base.shown}`);
  try {
    await followStream(await engine.docker.pull(base.shown, { abortSignal: signal }), {
      onMessage: ({ status, id }) => {
        if (status === "Pull complete") say(`pulled layer ${id ?? ""}`);
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new TilthError(
      "usage",
      `the engine could not pull the base image ${base.shown}: ${reasonOf(error)}`,
      `see what the engine says: docker pull ${base.shown}`,
      error,
    );
  }
  return (await madeImage(base.shown, context)).Id;
}
