import { readFileSync } from "node:fs";

/** The version that `git index-pack` is told to write. */
export const indexVersion = 2;

const magic = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, indexVersion]);
const idBytes = 20;
const fanoutEnd = magic.length + 256 * 4;

/** Returns the ids of all objects in a pack, from the index that our own git has just written. */
export function idsInPack(path: string): string[] {
  const index = readFileSync(path);
  if (index.compare(magic, 0, magic.length, 0, magic.length) !== 0) throw new TypeError(`${path} is no pack index`);
  const count = index.readUInt32BE(fanoutEnd - 4);
  const id = (at: number) => index.toString("hex", fanoutEnd + at * idBytes, fanoutEnd + (at + 1) * idBytes);
  return Array.from({ length: count }, (_, at) => id(at));
}
