import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { SessionWorld } from "./session-world.js";

const patienceMs = 90_000;
/** at each look the engine goes through every process of the machine */
const lookMs = 200;

/** Waits until a container of that role runs a command, and gives its id. */
export async function seenRunning(world: SessionWorld, role: string, command: string): Promise<string> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await wait(lookMs)) {
    for (const id of await world.containers(role)) {
      if ((await commandsIn(world, id)).some(({ args }) => args === command)) return id;
    }
  }
  throw new Error(`no ${role} container ran ${command}`);
}

/** Kills as `docker kill` does, and waits until the container is dead. */
export async function kill(world: SessionWorld, id: string): Promise<void> {
  const container = world.engine.docker.getContainer(id);
  await container.kill();
  await container.wait().catch(() => undefined);
}

export interface ContainerFacts {
  readonly roles: readonly string[];
  readonly text: string;
}

/** Everything that the engine and the host's process table tell about these containers. */
export async function tellsOf(world: SessionWorld, ids: readonly string[]): Promise<ContainerFacts> {
  const inspected = await Promise.all(ids.map((id) => world.engine.docker.getContainer(id).inspect()));
  const commands = (await Promise.all(ids.map((id) => commandsIn(world, id)))).flat();
  const text = [JSON.stringify(inspected), ...commands.map(({ pid, args }) => `${args}\n${environmentOf(pid)}`)].join(
    "\n",
  );
  return { roles: inspected.map(({ Config }) => Config.Labels["tilth.role"] ?? ""), text };
}

async function commandsIn(world: SessionWorld, id: string): Promise<{ pid: string; args: string }[]> {
  const top = await world.engine.docker
    .getContainer(id)
    .top({ ps_args: "-eo pid,args" })
    .catch(() => ({ Processes: [] as string[][] }));
  return ((top.Processes ?? []) as string[][]).map(([pid = "", args = ""]) => ({ pid, args }));
}

/** The process's environment; empty if the engine is on another machine or the process is another user's. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
