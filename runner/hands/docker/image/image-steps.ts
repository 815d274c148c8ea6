import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type Dockerode from "dockerode";
import { pack } from "tar-stream";
import { readCaBundle } from "../../../base/ca-bundle.js";
import { TilthError } from "../../../base/errors.js";
import { imageUlimits } from "../container/container-spec.js";
import { reasonOf } from "../engine/engine-errors.js";
import { type BuildContext, followStream, StepFailed } from "./image-engine.js";
import type { ContextFile } from "./image-recipe.js";

/** The engine's lines between the steps that take time. */
const silent = /^--->|^Removing intermediate|^Successfully |^Step \S+ : (?!RUN|COPY|FROM)/;

interface Step {
  readonly files: readonly ContextFile[];
  readonly labels: Record<string, string>;
  readonly tag: string;
}

/** Builds the Dockerfile up to its stage `tools` on a base that the engine has. */
export async function buildTools(baseId: string, { files, labels, tag }: Step, context: BuildContext): Promise<void> {
  const { settings } = context;
  const stage = randomUUID();
  const options = {
    buildargs: { ...settings.buildEnvironment, BASE: baseId, STAGE: stage },
    target: "tools",
    networkmode: "host",
    labels,
    t: tag,
  };
  try {
    await build([...files, ...caBundle(settings.caBundle)], options, context);
  } finally {
    await removeStage(stage, context);
  }
}

/** Builds the Dockerfile's last stage alone, on an image that stands for the stage before it. */
export async function buildOn(toolsId: string, { files, labels, tag }: Step, context: BuildContext): Promise<void> {
  const lastStage = files.map(({ name, content }) => ({
    name,
    content: name === "Dockerfile" ? lastStageOn(toolsId, content.toString("utf8")) : content,
  }));
  await build(lastStage, { labels, t: tag, networkmode: "none" }, context);
}

function lastStageOn(toolsId: string, dockerfile: string): Buffer {
  const [, instructions] = dockerfile.split(/^FROM tools$/m);
  if (!instructions) throw new Error("images/hands/Dockerfile has no stage FROM tools");
  return Buffer.from(`FROM ${toolsId}${instructions}`);
}

async function build(
  files: readonly ContextFile[],
  options: Dockerode.ImageBuildOptions,
  { engine, say, signal }: BuildContext,
): Promise<void> {
  const classic = { rm: true, forcerm: true, version: "1", abortSignal: signal } as const;
  let last = "";
  try {
    const stream = await engine.docker.buildImage(archiveOf(files), { ...options, ...classic, ...limitsOf(engine) });
    await followStream(stream, {
      onMessage: ({ stream: text }) => {
        const line = firstLine(text ?? "");
        if (line === "" || silent.test(line)) return;
        say(`  ${line}`);
        last = line;
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new TilthError(
      "usage",
      `the hands image could not be built: ${reasonOf(error)} (${last})`,
      error instanceof StepFailed
        ? "behind a proxy or a private CA, set HTTPS_PROXY or SSL_CERT_FILE"
        : "look at the engine's log: journalctl -u docker",
      error,
    );
  }
}

/** Returns limits in the form that podman reads; there is no other way to set them. */
function limitsOf({ facts }: BuildContext["engine"]): { readonly ulimits?: string } {
  const limits = imageUlimits(facts.dialect).map(({ Name, Soft, Hard }) => `${Name}=${Soft}:${Hard}`);
  return limits.length === 0 ? {} : { ulimits: JSON.stringify(limits) };
}

/** Strips colours, because the engine prints a step's stderr in red. */
function firstLine(text: string): string {
  const line = stripVTControlCharacters(text).trim().split("\n", 1)[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function caBundle(file: string | null): readonly ContextFile[] {
  const content = readCaBundle(file);
  return content === null ? [] : [{ name: "ca-bundle.crt", content }];
}

function archiveOf(files: readonly ContextFile[]): Readable {
  const archive = pack();
  for (const { name, content } of files) archive.entry({ name, mode: 0o644, mtime: new Date(0) }, content);
  archive.finalize();
  return Readable.from(archive);
}

/** Removes the build stage, which the engine keeps as cache: a private CA bundle lies in one of its layers. */
async function removeStage(stage: string, { engine: { docker } }: BuildContext): Promise<void> {
  const filters = { dangling: ["true"], label: [`tilth.stage=${stage}`] };
  for (const { Id } of await docker.listImages({ filters: JSON.stringify(filters) }))
    await docker.getImage(Id).remove({ force: true });
}
