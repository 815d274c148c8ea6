import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { TilthError } from "../../../runner/base/errors.js";
import { Engine } from "../../../runner/hands/docker/engine/engine.js";
import { contextFiles, programsHash, sha256 } from "../../../runner/hands/docker/image/image-recipe.js";
import type { HandsImage } from "../../../runner/hands/ports/hands.js";
import { containerIdentity } from "../../../runner/hands/ports/identity.js";
import type {
  Comparison,
  Images,
  ImageVerification,
  ListedImage,
  PrunedImages,
} from "../../../runner/hands/ports/images.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { realImage } from "../image.js";

const imageSchema = z.object({
  id: z.string(),
  recipe: z.string(),
  runtime: z.string(),
  platform: z.string(),
  tools: z.array(z.string()),
  /** the environment that the image declares for every command */
  env: z.record(z.string(), z.string()),
  /** of the programs in it */
  programs: z.string(),
  created: z.number(),
  bytes: z.number(),
});
export type HostImage = z.infer<typeof imageSchema>;

const devices = ["null", "zero", "full", "random", "urandom", "tty"];
const run = promisify(execFile);

/**
 * Folders that sandboxes have as their root. Each is taken out of the hands image of the machine's engine: there is all
 * that the roles count on (Python, git, ripgrep, the locked tools, the compiled programs), where they count on it. So
 * the host itself needs none of it, and no package index either.
 */
export class HostImages implements Images {
  constructor(
    private readonly folder: string,
    private readonly settings: Settings,
  ) {}

  rootOf(id: string): string {
    return join(this.folder, id);
  }

  current(): HostImage | null {
    const programs = programsHash();
    return this.#all().find((image) => image.programs === programs) ?? null;
  }

  byId(id: string): HostImage | null {
    return this.#all().find((image) => image.id === id && image.programs === programsHash()) ?? null;
  }

  async build(say: (line: string) => void, signal: AbortSignal): Promise<HandsImage> {
    const engine = await Engine.connect(this.settings, signal);
    const { id: from, ...image } = await realImage(engine);
    say(`copying the hands image ${from.slice(0, 19)} into a folder`);
    mkdirSync(this.folder, { recursive: true });
    const partial = mkdtempSync(join(this.folder, ".partial-"));
    await exported(engine, from, partial);
    complete(partial);
    const id = `root-${sha256(Buffer.from(from)).slice(0, 12)}`;
    const bytes = Number((await run("du", ["-sb", partial])).stdout.split("\t")[0]);
    rmSync(this.rootOf(id), { recursive: true, force: true });
    renameSync(partial, this.rootOf(id));
    const made = { ...image, id, runtime: "none", programs: programsHash(), created: Date.now(), bytes };
    writeFileSync(`${this.rootOf(id)}.json`, JSON.stringify(made));
    return imageSchema.parse(made);
  }

  async list(): Promise<readonly ListedImage[]> {
    const current = this.current();
    return this.#all().map(({ id, recipe, tools, bytes, created }) => ({
      ...{ id, recipe, tools, bytes, tags: [id], base: "the hands image of the engine" },
      ...{ created: new Date(created), current: id === current?.id },
    }));
  }

  async prune(needed: ReadonlySet<string>): Promise<PrunedImages> {
    const current = this.current();
    const old = this.#all().filter(({ id }) => id !== current?.id && !needed.has(id));
    for (const { id } of old) {
      rmSync(`${this.rootOf(id)}.json`);
      rmSync(this.rootOf(id), { recursive: true, force: true });
    }
    return { removed: old.map(({ id }) => id), inUse: [] };
  }

  async verify(): Promise<ImageVerification> {
    const image = this.current();
    if (image === null) throw new TilthError("usage", "there is no hands image yet", "tilth image build");
    const programs = contextFiles().filter(({ name }) => name.endsWith(".py"));
    const comparisons = programs.map(({ name, content }) => this.#compared(image, name, sha256(content)));
    const compares = "compared are the programs in the image with this package's";
    return { image: image.id, compares, comparisons, same: comparisons.every(({ same }) => same) };
  }

  #compared({ id }: HostImage, name: string, expected: string): Comparison {
    const path = join(this.rootOf(id), "opt/tilth", name);
    const seen = existsSync(path) ? sha256(readFileSync(path)) : "absent";
    return { what: `/opt/tilth/${name}`, expected, seen, same: seen === expected };
  }

  /** The newest first. */
  #all(): readonly HostImage[] {
    if (!existsSync(this.folder)) return [];
    const notes = readdirSync(this.folder).filter((name) => name.endsWith(".json"));
    const images = notes.map((name) => imageSchema.parse(JSON.parse(readFileSync(join(this.folder, name), "utf8"))));
    return images.sort((a, b) => b.created - a.created);
  }
}

/** Unpacks without anybody's ownership, so that it takes no root. */
async function exported({ docker }: Engine, image: string, folder: string): Promise<void> {
  const container = await docker.createContainer({ Image: image });
  try {
    // the zeros at the end of an archive would end it before it has read everything, which breaks the pipe of some images
    const options = ["--ignore-zeros", "--no-same-owner", "-C", folder];
    const tar = spawn("tar", ["-x", ...options], { stdio: ["pipe", "ignore", "inherit"] });
    const ended = once(tar, "close");
    await pipeline(await container.export(), tar.stdin);
    const [status] = await ended;
    if (status !== 0) throw new Error(`tar ended with ${status}`);
  } finally {
    await container.remove({ force: true });
  }
}

/** Gives the folder what an engine adds to an image when it starts a container. */
function complete(root: string): void {
  chmodSync(root, 0o755);
  for (const device of devices) writeFileSync(join(root, "dev", device), "");
  const { uid, gid } = containerIdentity();
  appendFileSync(join(root, "etc/passwd"), `tilth:x:${uid}:${gid}:tilth:/home/tilth:/bin/bash\n`);
  appendFileSync(join(root, "etc/group"), `tilth:x:${gid}:\n`);
}
