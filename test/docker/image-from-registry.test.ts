import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { buildImage } from "../../runner/hands/docker/image/image-build.js";
import { findImage } from "../../runner/hands/docker/image/image-find.js";
import { recipeOn, toolsOn } from "../../runner/hands/docker/image/image-recipe.js";
import type { Settings } from "../../runner/settings/settings.js";
import { realImage } from "../helpers/image.js";
import { buildTrial, marksInSaved, removeTrial, trialTag } from "../helpers/image-trials.js";
import { TinyRegistry } from "../helpers/tiny-registry.js";

const { signal } = new AbortController();
const given = loadSettings();
const mark = `mark of a private CA ${randomUUID()}`;

test("a base pulled by digest makes the image, and no layer holds the CA bundle that the build trusted", async () => {
  const engine = await Engine.connect(given, signal);
  const real = await realImage(engine);
  await using base = await markedBase(engine, real.id);
  await using registry = await TinyRegistry.serving(engine.docker, base.tag, "some/python");
  await using bundle = await markedBundle();
  const settings = onBase(registry.reference, bundle.file);
  const said: string[] = [];
  try {
    const image = await buildImage({ engine, settings, signal, say: (line) => said.push(line) });
    expect(image.id).not.toBe(real.id);
    expect((await findImage(engine, settings, signal))?.id).toBe(image.id);
    expect(said.join("\n")).toContain(`pulling ${registry.reference}`);
    expect(JSON.stringify(await engine.docker.getImage(image.id).inspect())).not.toContain(mark);
    await expectOnlyNaiveBuildKeepsIts(engine, image.id);
    expect(await stagesLeft(engine)).toEqual([]);
  } finally {
    await forget(engine, registry.reference);
  }
}, 300_000);

test("a base that no registry has is refused by name, as is one without a digest", async () => {
  const engine = await Engine.connect(given, signal);
  const build = (base: string) => buildImage({ engine, settings: onBase(base, null), signal, say: () => {} });
  const nowhere = `127.0.0.1:9/none@sha256:${"0".repeat(64)}`;
  await expect(build(nowhere)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(nowhere) });
  await expect(build("python:3.11-slim")).rejects.toMatchObject({ code: "usage" });
});

function onBase(baseImage: string, caBundle: string | null): Settings {
  return { ...given, caBundle: caBundle ?? given.caBundle, baseImage };
}

/** A base that no other build on this engine has: an image built FROM it inherits the label. */
async function markedBase(engine: Engine, image: string): Promise<AsyncDisposable & { tag: string }> {
  const tag = trialTag("base");
  await buildTrial(engine.docker, tag, { Dockerfile: `FROM ${image}\n` }, { "tilth.trial": mark });
  return { tag, [Symbol.asyncDispose]: () => removeTrial(engine.docker, tag) };
}

/** The certificates that the host trusts, so that the build works, with a mark to look for. */
async function markedBundle(): Promise<AsyncDisposable & { file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "tilth-ca-"));
  const file = join(folder, "bundle.crt");
  const trusted = given.caBundle ? await readFile(given.caBundle, "utf8") : rootCertificates.join("\n");
  await writeFile(file, `# ${mark}\n${trusted}`);
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/**
 * The control: built on top of the image, so that the saved image has the layers of both. A build that deletes the
 * bundle in a later step hides it, and still has it in a layer.
 */
async function expectOnlyNaiveBuildKeepsIts(engine: Engine, image: string): Promise<void> {
  const dockerfile = `FROM ${image}\nUSER 0\nCOPY ca-bundle.crt /ca-bundle.crt\nRUN rm /ca-bundle.crt\n`;
  const naive = trialTag("naive");
  const naiveMark = `mark of a naive build ${randomUUID()}`;
  try {
    await buildTrial(engine.docker, naive, { Dockerfile: dockerfile, "ca-bundle.crt": naiveMark });
    expect(await marksInSaved(engine.docker, naive, [mark, naiveMark])).toEqual([naiveMark]);
  } finally {
    await removeTrial(engine.docker, naive);
  }
}

async function stagesLeft(engine: Engine): Promise<string[]> {
  const label = ["tilth.stage", `tilth.trial=${mark}`];
  const images = await engine.docker.listImages({ all: true, filters: JSON.stringify({ label }) });
  return images.filter(({ Labels }) => /^[0-9a-f-]{36}$/.test(Labels["tilth.stage"] ?? "")).map(({ Id }) => Id);
}

async function forget(engine: Engine, reference: string): Promise<void> {
  const base = { identity: `digest ${reference.split("@")[1]}`, shown: reference };
  for (const tag of [recipeOn(base).tag, toolsOn(base).tag, reference]) await removeTrial(engine.docker, tag);
}
