import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentOrder, KeptEnvironments } from "../../../runner/hands/ports/provider.js";
import { buildEnvironment } from "../../../runner/hands/roles/build/build.js";
import type { SandboxStarts } from "../../../runner/hands/roles/starts.js";
import { isDead, notesIn, writeNote } from "./owner.js";
import { openFolder, type Places } from "./places.js";

type StartsOf = (order: EnvironmentOrder) => SandboxStarts;

/** Environments as folders. */
export function hostEnvironments(places: Places, diskBytes: number, startsOf: StartsOf): KeptEnvironments {
  const folder = places.environments;
  const remove = async (id: string): Promise<boolean> => {
    if (isUsed(id, places)) return false;
    rmSync(join(folder, `${id}.json`), { force: true });
    rmSync(join(folder, id), { recursive: true, force: true });
    return true;
  };
  return {
    build: (order) =>
      buildEnvironment(order, {
        starts: startsOf(order),
        make: async () => make(folder, order.key),
        remove,
        diskBytes,
      }),
    has: async ({ id }) => existsSync(join(folder, `${id}.json`)),
    remove,
    list: async () =>
      [...notesIn(folder)].map(([name, { key, owner }]) => ({ name, key: key ?? "", isSettled: isDead(owner) })),
  };
}

function make(folder: string, key: string): string {
  const id = `env-${key.slice(0, 12)}-${randomBytes(4).toString("hex")}`;
  openFolder(join(folder, id));
  writeNote(join(folder, id), { key });
  return id;
}

function isUsed(id: string, { sandboxes }: Places): boolean {
  const notes = [...notesIn(sandboxes).values()];
  return notes.some(({ environment, process }) => environment === id && process !== null && !isDead(process));
}
