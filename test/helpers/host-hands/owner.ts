import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { errnoCode } from "../../../runner/disk/disk-trouble.js";
import { systemProcesses } from "../../../runner/disk/processes.js";

const ownerSchema = z.object({ pid: z.int(), started: z.string().nullable() });
/** The process that made a thing. */
export type Owner = z.infer<typeof ownerSchema>;

export function thisProcess(): Owner {
  const { pid, started } = systemProcesses.self();
  return { pid, started };
}

export function isDead({ pid, started }: Owner): boolean {
  const seen = systemProcesses.look(pid);
  return !seen.alive || seen.started !== started;
}

export function isOwn(owner: Owner): boolean {
  const own = thisProcess();
  return owner.pid === own.pid && owner.started === own.started;
}

const noteSchema = z.object({
  owner: ownerSchema,
  session: z.string().nullable(),
  /** key of an environment */
  key: z.string().nullable(),
  /** the environment that a sandbox uses */
  environment: z.string().nullable(),
  /** the process that a sandbox consists of */
  process: ownerSchema.nullable(),
});
/** The owner and the purpose of a thing, beside which it stands, so that another process can remove both. */
export type Note = z.infer<typeof noteSchema>;

export function writeNote(path: string, note: Partial<Note>): void {
  const whole: Note = { owner: thisProcess(), session: null, key: null, environment: null, process: null, ...note };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.json`, JSON.stringify(whole));
}

/** Lists the notes in a folder by the names of what they are about. */
export function notesIn(folder: string): ReadonlyMap<string, Note> {
  const notes = new Map<string, Note>();
  for (const file of filesIn(folder)) {
    const note = noteAt(join(folder, file));
    if (file.endsWith(".json") && note !== null) notes.set(file.slice(0, -".json".length), note);
  }
  return notes;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Null for a note that is gone by now, or was not wholly written. */
function noteAt(path: string): Note | null {
  try {
    return noteSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}
