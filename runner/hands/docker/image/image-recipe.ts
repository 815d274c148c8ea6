import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../base/package-folder.js";

/** The base of an image. */
export interface Base {
  /** the part that decides its content: a digest, an image id, or the packages of a suite */
  readonly identity: string;
  /** the base as a person writes it */
  readonly shown: string;
}

/** Everything that decides a verdict, as one hash, and the tag for an image made by it. */
export interface Recipe {
  readonly id: string;
  readonly tag: string;
  readonly base: Base;
}

export interface ContextFile {
  readonly name: string;
  readonly content: Buffer;
}

const folder = join(packageFolder, "images", "hands");

/** The files of the build, sorted by name; a private CA bundle sent beside them is not part of the recipe. */
export function contextFiles(): readonly ContextFile[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.py$|^Dockerfile$|^install\.sh$|^requirements\.lock$/.test(name),
  );
  return names.sort().map((name) => ({ name, content: readFileSync(join(folder, name)) }));
}

/** Reads the base from the Dockerfile, the one place where it is pinned. */
export function pinnedBase(): string {
  const named = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(folder, "Dockerfile"), "utf8"))?.[1];
  if (!named) throw new Error("images/hands/Dockerfile names no base");
  return named;
}

export function recipeOn(base: Base): Recipe {
  const id = hashOf([{ name: "base", content: Buffer.from(base.identity) }, ...contextFiles()]);
  return { id, base, tag: `tilth-hands:${id.slice(0, 12)}` };
}

/** Names the image without our programs: that part takes long to build and seldom changes. */
export function toolsOn(base: Base): { readonly id: string; readonly tag: string } {
  const files = contextFiles().filter(({ name }) => !name.endsWith(".py"));
  const id = hashOf([{ name: "base", content: Buffer.from(base.identity) }, ...files]);
  return { id, tag: `tilth-tools:${id.slice(0, 12)}` };
}

/** Hashes the Python programs alone, which an image built FROM ours must share with this tilth. */
export function programsHash(): string {
  return hashOf(contextFiles().filter(({ name }) => name.endsWith(".py")));
}

export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function hashOf(files: readonly ContextFile[]): string {
  const hash = createHash("sha256");
  for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest("hex");
}
