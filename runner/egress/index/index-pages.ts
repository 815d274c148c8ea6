import { setImmediate as turn } from "node:timers/promises";
import { z } from "zod";
import { oneLine } from "../../text/sanitise.js";
import { type Attributes, escaped, linksIn } from "./html-anchors.js";
import { NotJson, type Piece, piecesOf } from "./json-pieces.js";

/** A page of an index as it came. */
export interface ForeignPage {
  readonly type: string;
  readonly text: string;
  /** the address after all redirects */
  readonly url: URL;
}

/** A file that a page links to, with its address as written: a resolved one could be many times as long. */
export interface PageLink {
  readonly href: string;
  /** one object, shared by all links of a page */
  readonly base: URL;
  readonly filename: string;
}

/** Returns the new path of a file that a page links to. */
export type Place = (link: PageLink) => string;

/** The answer is no page of a package index. */
export class NoPage extends Error {}

const jsonType = "application/vnd.pypi.simple.v1+json";
const htmlTypes = ["application/vnd.pypi.simple.v1+html", "text/html"];
const filenamePattern = /^[A-Za-z0-9][A-Za-z0-9._+!~-]{0,250}\.(?:whl|zip|egg|tgz|tar\.(?:gz|bz2|xz))$/;
const hashNames = ["sha256", "sha384", "sha512", "sha224", "sha1", "md5", "blake2b"];
const hashPattern = /^[0-9a-f]{16,128}$/i;
/** the event loop has a turn after this many */
const filesAtOnce = 500;
const longestText = 200;
/** every link of a page is resolved against the base, so its length counts each time */
const longestBase = 4_096;

/** Writes the page's list of files anew, each with its new place; nothing else of the page is kept. */
export async function rewritten(page: ForeignPage, place: Place): Promise<{ type: string; body: Buffer }> {
  const [type = ""] = page.type.toLowerCase().split(";", 1);
  refuseLong(page.url);
  if (type.trim() === jsonType) return { type: jsonType, body: await rewrittenJson(page, place) };
  if (htmlTypes.includes(type.trim()))
    return { type: "text/html; charset=utf-8", body: await rewrittenHtml(page, place) };
  throw new NoPage(`it is ${oneLine(page.type, 60) || "of no type"}`);
}

function refuseLong(base: URL): void {
  if (base.href.length > longestBase)
    throw new NoPage(`its links begin at an address of more than ${longestBase} characters`);
}

const fileUse = z
  .union([z.boolean(), z.record(z.string(), z.string())])
  .optional()
  .catch(undefined);
const optionalText = z.string().optional().catch(undefined);
const fileSchema = z.object({
  filename: z.string(),
  url: z.string(),
  hashes: z.record(z.string(), z.string()).catch({}),
  "requires-python": optionalText,
  "core-metadata": fileUse,
  "dist-info-metadata": fileUse,
  "data-dist-info-metadata": fileUse,
  yanked: z.union([z.boolean(), z.string()]).optional().catch(undefined),
  size: z.int().nonnegative().optional().catch(undefined),
  "upload-time": optionalText,
});
const metaSchema = z.object({ "api-version": z.string().regex(/^1\.\d{1,6}$/) });
const headSchema = z.object({ meta: metaSchema, name: z.string() });
/** includes the files that are left out */
const mostListed = 200_000;

async function rewrittenJson({ text, url }: ForeignPage, place: Place): Promise<Buffer> {
  const head: Record<string, unknown> = {};
  const kept: string[] = [];
  let listed = 0;
  try {
    for await (const piece of unhurried(filesIn(text))) {
      if (piece === null) continue;
      if (piece.key !== "files") head[piece.key] = piece.value;
      else {
        listed += 1;
        if (listed > mostListed) throw new NoPage(`it lists more than ${mostListed} files`);
        const line = lineOf(piece.value, url, place);
        if (line !== null) kept.push(line);
      }
    }
  } catch (error) {
    throw error instanceof NotJson ? notOfVersion1() : error;
  }
  const { success, data } = headSchema.safeParse(head);
  if (!success) throw notOfVersion1();
  return Buffer.from(`${JSON.stringify(data).slice(0, -1)},"files":[${kept.join(",\n")}]}`);
}

function notOfVersion1(): NoPage {
  return new NoPage("it is no page of version 1");
}

function filesIn(text: string): Generator<Piece | null> {
  return piecesOf(text, { list: "files", members: ["meta", "name"] });
}

/** Returns null for an entry that is no file. */
function lineOf(one: unknown, base: URL, place: Place): string | null {
  const file = fileSchema.safeParse(one).data;
  const led = file && URL.canParse(file.url, base.href) ? new URL(file.url, base) : null;
  if (!file || led === null || !isFile(led, file.filename)) return null;
  const { filename, "core-metadata": core, "dist-info-metadata": info, "data-dist-info-metadata": data } = file;
  return JSON.stringify({
    ...file,
    url: place({ href: file.url, base, filename }),
    hashes: hashesIn(file.hashes),
    "requires-python": shortened(file["requires-python"]),
    "core-metadata": use(core),
    "dist-info-metadata": use(info),
    "data-dist-info-metadata": use(data),
    yanked: typeof file.yanked === "string" ? shortened(file.yanked) : file.yanked,
    "upload-time": shortened(file["upload-time"]),
  });
}

function use(given: z.infer<typeof fileUse>): boolean | Record<string, string> | undefined {
  return typeof given === "object" ? hashesIn(given) : given;
}

function hashesIn(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name, hash]) => isHash(name, hash)));
}

function isHash(name: string, hash: string): boolean {
  return hashNames.includes(name) && hashPattern.test(hash);
}

/** The attributes that PEP 503, 592, 658, 700 and 714 define. */
const kept = [
  "data-requires-python",
  "data-core-metadata",
  "data-dist-info-metadata",
  "data-yanked",
  "data-upload-time",
];

async function rewrittenHtml({ text, url }: ForeignPage, place: Place): Promise<Buffer> {
  const lines: string[] = [];
  let base: URL | null = null;
  for await (const tag of unhurried(linksIn(text))) {
    if (tag === null) continue;
    const { name, attributes } = tag;
    const href = attributes.get("href")?.trim() ?? "";
    if (href === "" || !URL.canParse(href, (base ?? url).href)) continue;
    const led: URL = new URL(href, base ?? url);
    if (name === "base") base ??= led;
    else lines.push(...anchor({ href, base: base ?? url }, led, { attributes, place }));
    refuseLong(base ?? url);
  }
  const head = '<!DOCTYPE html>\n<html><head><meta name="pypi:repository-version" content="1.0"></head><body>';
  return Buffer.from([head, ...lines, "</body></html>\n"].join("\n"));
}

interface Anchored {
  readonly attributes: Attributes;
  readonly place: Place;
}

function anchor(link: Omit<PageLink, "filename">, url: URL, { attributes, place }: Anchored): string[] {
  const filename = decodedSegment(url);
  if (!isFile(url, filename)) return [];
  const [, name = "", hash = ""] = /^#(\w+)=(\w+)$/.exec(url.hash) ?? [];
  const fragment = isHash(name, hash) ? `#${name}=${hash}` : "";
  const more = kept.flatMap((key) => {
    const value = attributes.get(key);
    return value === undefined ? [] : [` ${key}="${escaped(oneLine(value, longestText))}"`];
  });
  return [`<a href="${place({ ...link, filename })}${fragment}"${more.join("")}>${filename}</a><br>`];
}

function decodedSegment({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
  } catch {
    return "";
  }
}

/** Accepts a distribution whose name means the same to every program. */
function isFile({ protocol }: URL, filename: string): boolean {
  return (protocol === "https:" || protocol === "http:") && filenamePattern.test(filename);
}

function shortened(text: string | undefined): string | undefined {
  return text === undefined ? undefined : oneLine(text, longestText);
}

/** Gives the event loop its turns; a null stands for a stretch of text without results. */
async function* unhurried<T>(all: Iterable<T>): AsyncGenerator<T> {
  let seen = 0;
  for (const one of all) {
    seen += 1;
    if (one === null || seen % filesAtOnce === 0) await turn();
    yield one;
  }
}
