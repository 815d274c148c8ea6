import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A file below a folder. Its name has a character for each byte, so that any name can be held. */
interface Entry {
  readonly path: string;
  readonly at: Buffer;
}

export function entriesBelow(folder: string): Entry[] {
  return walk(Buffer.from(`${folder}/`)).map((at) => ({ path: at.toString("latin1", folder.length + 1), at }));
}

/** The host cannot name a longer path. */
const longestPath = 4_000;

function walk(folder: Buffer): Buffer[] {
  return readdirSync(folder, { withFileTypes: true, encoding: "buffer" }).flatMap((entry) => {
    const at = Buffer.concat([folder, entry.name]);
    if (at.length > longestPath) return [];
    return entry.isDirectory() ? [at, ...walk(Buffer.concat([at, Buffer.from("/")]))] : [at];
  });
}

/** Everything below a folder: kind, mode and content of each, links not followed. */
export function snapshotOf(folder: string): Map<string, string> {
  return new Map(entriesBelow(folder).map(({ path, at }) => [path, lookOf(at)]));
}

function lookOf(at: Buffer): string {
  const stat = lstatSync(at);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return `link ${readlinkSync(at)}`;
  if (stat.isDirectory()) return `folder ${mode}`;
  if (!stat.isFile()) return `special ${mode}`;
  return `file ${mode} ${createHash("sha256").update(readFileSync(at)).digest("hex")}`;
}

/** The forms in which a secret is likely to be written down. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const aligned = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  return [secret, bytes.toString("hex"), ...aligned];
}

/** Files below a folder whose bytes hold one of the needles. */
export function filesHolding(folder: string, needles: readonly string[]): string[] {
  const holds = ({ at }: Entry) => {
    if (!lstatSync(at).isFile()) return false;
    const content = readFileSync(at);
    return needles.some((needle) => content.includes(needle));
  };
  return entriesBelow(folder)
    .filter(holds)
    .map(({ path }) => path);
}
