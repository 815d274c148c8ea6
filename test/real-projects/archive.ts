import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSettings } from "../../cli/settings/settings.js";
import { packageFolder } from "../../runner/base/package-folder.js";

export interface Archive {
  /** the project's name in the index */
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
}

const cache = join(packageFolder, ".cache", "real-projects");
const patienceMs = 60_000;

/** The index could not be asked, which says nothing about tilth. */
class IndexAway extends Error {}

/** The reason why the package index is of no use now; null if it answers. */
export async function indexTrouble({ name }: Archive): Promise<string | null> {
  try {
    await get(pageOf(name));
    return null;
  } catch (error) {
    if (error instanceof IndexAway) return error.message;
    throw error;
  }
}

/** The path of a source archive on this machine; fetches it from the package index unless it is there. */
export async function fetched({ name, file, sha256 }: Archive): Promise<string> {
  const path = join(cache, file);
  if (existsSync(path) && hash(readFileSync(path)) === sha256) return path;
  const content = await get(await urlOf(name, file));
  if (hash(content) !== sha256) throw new Error(`${file} of the index is not the file that was pinned`);
  mkdirSync(cache, { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Unpacks an archive without its one outer folder. */
export function unpack(path: string, into: string): void {
  mkdirSync(into, { recursive: true });
  execFileSync("tar", ["-xzf", path, "-C", into, "--strip-components=1", "--no-same-owner", "--no-same-permissions"]);
}

async function urlOf(name: string, file: string): Promise<string> {
  const page = pageOf(name);
  const text = (await get(page)).toString("utf8");
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  const found = links.map((href) => new URL(href, page)).find(({ pathname }) => pathname.endsWith(`/${file}`));
  if (!found) throw new Error(`the index has no ${file}`);
  return found.href;
}

function pageOf(name: string): string {
  const [index = ""] = loadSettings().packages.indexes;
  return `${index.replace(/\/$/, "")}/${name.toLowerCase().replace(/[-_.]+/g, "-")}/`;
}

async function get(url: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const answer = await fetch(url, { signal, headers: { accept: "text/html, application/octet-stream" } });
    if (answer.status >= 500) throw new IndexAway(`${url} answers ${answer.status}`);
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    if (signal.aborted || error instanceof TypeError) throw new IndexAway(`${url} does not answer`, { cause: error });
    throw error;
  }
}

function hash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
