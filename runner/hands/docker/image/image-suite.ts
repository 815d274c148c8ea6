import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { bootstrapMethod, type Distribution, makeArchive } from "./image-bootstrap.js";
import { type BuildContext, followStream, localImage, madeImage } from "./image-engine.js";
import { imageLabels } from "./image-labels.js";
import { type Base, sha256 } from "./image-recipe.js";

/** The host's own distribution; its packages make a base when no image registry answers. */
export interface Suite {
  readonly distribution: Distribution;
  readonly codename: string;
  readonly base: Base;
  readonly tag: string;
}

const imageId = /\b[0-9a-f]{64}\b/;

/** Returns null on a host that is neither Debian nor Ubuntu. */
export function hostSuite(osRelease = "/etc/os-release"): Suite | null {
  if (!existsSync(osRelease)) return null;
  const { ID: id, VERSION_CODENAME: codename } = parseEnv(readFileSync(osRelease, "utf8"));
  if ((id !== "debian" && id !== "ubuntu") || !codename || !/^[a-z]+$/.test(codename)) return null;
  const shown = `${id} ${codename} ${process.arch}`;
  const method = sha256(Buffer.from(JSON.stringify(bootstrapMethod))).slice(0, 8);
  return {
    distribution: id,
    codename,
    base: { identity: `packages ${shown} ${method}`, shown: `packages of ${shown}` },
    tag: `tilth-base:${codename}-${process.arch}-${method}`,
  };
}

/** Returns the base on the engine, made and imported if need be; the downloaded archive stays in the cache folder. */
export async function importSuite(suite: Suite, context: BuildContext): Promise<string> {
  const here = await localImage(suite.tag, context);
  if (here) return here.Id;
  const { cacheDir } = context.settings.host;
  const archive = join(cacheDir, `${suite.tag.replace(":", "-")}.tar`);
  if (!existsSync(archive)) await fillCache(suite, archive, context);
  context.say(`importing the base (${suite.base.shown})`);
  return await importArchive(suite, archive, context);
}

async function fillCache(suite: Suite, archive: string, context: BuildContext): Promise<void> {
  mkdirSync(context.settings.host.cacheDir, { recursive: true, mode: 0o700 });
  const partial = `${archive}.${process.pid}.partial.tar`;
  context.say(`making a base of the ${suite.base.shown}: about 200 MB and a minute, once`);
  try {
    await makeArchive(suite, partial, context);
    renameSync(partial, archive);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function importArchive(suite: Suite, archive: string, context: BuildContext): Promise<string> {
  const [repo = "", tag = ""] = suite.tag.split(":");
  const changes = `LABEL ${imageLabels.base}=${JSON.stringify(suite.base.shown)}`;
  const options = { repo, tag, changes, abortSignal: context.signal };
  const { docker } = context.engine;
  let imported = "";
  await followStream(await docker.importImage(createReadStream(archive), options), {
    onMessage: ({ status = "" }) => {
      imported = imageId.exec(status)?.[0] ?? imported;
    },
  });
  // some versions of podman import an image but do not name it
  if (imported !== "" && !(await localImage(suite.tag, context))) await docker.getImage(imported).tag({ repo, tag });
  return (await madeImage(suite.tag, context)).Id;
}
