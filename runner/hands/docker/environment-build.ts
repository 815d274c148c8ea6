import type { Duplex } from "node:stream";
import { againAfterSleep } from "../ports/after-sleep.js";
import type { EnvironmentAnswer } from "../ports/environment.js";
import type { EnvironmentOrder } from "../ports/provider.js";
import type { Sandbox } from "../ports/sandbox.js";
import { NotIsolated } from "../ports/work.js";
import { answerOf, type BuildResult, type TalkResult } from "../roles/build/environment-talk.js";
import { buildInside } from "../roles/build/inside.js";
import { makeVolume, removeVolume } from "./environment-volume.js";
import { type ContainersOf, isolationOf, RoleStarts, specContext } from "./role-starts.js";

export type BuildOrder = EnvironmentOrder & ContainersOf;

/**
 * Makes an environment in a container that sees the dependency files and the package index, and nothing else. Packages
 * to be built from source are built in a container before it, of which only the wheels are kept.
 */
export async function buildEnvironment(order: BuildOrder): Promise<EnvironmentAnswer> {
  return await againAfterSleep(() => madeOnce(order));
}

async function madeOnce(order: BuildOrder): Promise<EnvironmentAnswer> {
  const { spec } = order;
  if (spec.fromSource.length === 0) return await install(order, null);
  const said = await inVolume(order, async (volume) => ({
    kept: false,
    value: await inContainer(order, volume, "wheels"),
  }));
  if (!said.ok) return answerOf(said, "", null);
  return await install({ ...order, spec: { ...spec, lock: said.lock || null } }, said);
}

async function install(order: BuildOrder, before: BuildResult | null): Promise<EnvironmentAnswer> {
  return await inVolume(order, async (volume) => {
    const said = await inContainer(order, volume, "build", before?.wheels);
    const value = answerOf(said, volume, before);
    return { kept: value.kind === "built", value };
  });
}

type VolumeOutcome<T> = { readonly kept: boolean; readonly value: T };

async function inVolume<T>(order: BuildOrder, use: (volume: string) => Promise<VolumeOutcome<T>>): Promise<T> {
  const { engine, settings, signal, key } = order;
  const volumes = { engine, home: settings.home, signal };
  const volume = await makeVolume(volumes, key);
  let keep = false;
  try {
    const { kept, value } = await use(volume);
    keep = kept;
    return value;
  } finally {
    if (!keep) await removeVolume({ ...volumes, signal: new AbortController().signal }, volume);
  }
}

async function inContainer(
  order: BuildOrder,
  volume: string,
  verb: "build" | "wheels",
  wheels: Readonly<Record<string, string>> = {},
): Promise<TalkResult> {
  await using sandbox = await startBuild(order, volume);
  order.onReceipt(sandbox.receipt);
  const { spec, index, say, signal } = order;
  const { diskBytes } = order.settings.sandbox;
  return await buildInside(sandbox, { spec, index, diskBytes, say, signal }, verb, wheels);
}

async function startBuild(order: BuildOrder, environment: string): Promise<Sandbox> {
  const { engine, index, signal } = order;
  const made = { context: specContext(order), isolation: isolationOf(order) };
  const onConnection = (connection: Duplex) => index.accept(connection);
  const more = { onConnection, openTo: ["the package index"] };
  try {
    return await new RoleStarts(engine, made, Promise.resolve()).start({ role: "build", environment }, signal, more);
  } catch (error) {
    if (error instanceof NotIsolated) order.onReceipt(error.receipt);
    throw error;
  }
}
