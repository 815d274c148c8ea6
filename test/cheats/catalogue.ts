import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Cheat, ways } from "./cheat.js";

export interface Row extends Cheat {
  readonly way: (typeof ways)[number];
  readonly file: string;
}

/** Lists every cheat, ordered by way and name. */
export async function catalogue(): Promise<readonly Row[]> {
  const files = ways.flatMap((way) => namesIn(join(import.meta.dirname, way)).map((name) => ({ way, name })));
  return Promise.all(files.map(({ way, name }) => rowOf(way, name)));
}

async function rowOf(way: Row["way"], name: string): Promise<Row> {
  const { cheat }: { cheat: Cheat } = await import(pathToFileURL(join(import.meta.dirname, way, name)).href);
  return { ...cheat, way, file: `test/cheats/${way}/${name}` };
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .sort();
}

/** The first thing that stops the cheat, which tells its kind. */
export function firstStop({ stoppedBy }: Cheat): string {
  return typeof stoppedBy === "string" ? stoppedBy : `${stoppedBy[0]}`;
}

export function needsSession({ commands, twin, whole }: Cheat): boolean {
  return whole === true || commands !== undefined || twin.commands !== undefined;
}
