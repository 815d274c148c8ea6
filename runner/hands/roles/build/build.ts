import type { Duplex } from "node:stream";
import type { BuildResult, TalkResult } from "../../pipe/wire/environment.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import type { EnvironmentAnswer } from "../../ports/environment.js";
import type { EnvironmentOrder } from "../../ports/provider.js";
import type { Sandbox } from "../../ports/sandbox.js";
import { NotIsolated } from "../../ports/work.js";
import type { SandboxStarts } from "../starts.js";
import { answerOf } from "./environment-talk.js";
import { buildInside } from "./inside.js";

/** All that a build needs of a provider. */
export interface BuildPlace {
  readonly starts: Pick<SandboxStarts, "start">;
  /** Makes an empty environment with an id that is never used again, so that a half-made one is taken for no other. */
  readonly make: () => Promise<string>;
  /** Not bound to a run's signal: on return it is gone. */
  readonly remove: (id: string) => Promise<unknown>;
  /** the most that an environment may take */
  readonly diskBytes: number;
}

/**
 * Makes an environment in a sandbox that sees the dependency files and the package index, and nothing else. Packages to
 * be built from source are built in a sandbox before it, of which only the wheels are kept.
 */
export async function buildEnvironment(order: EnvironmentOrder, place: BuildPlace): Promise<EnvironmentAnswer> {
  return await againAfterSleep(() => madeOnce(order, place));
}

async function madeOnce(order: EnvironmentOrder, place: BuildPlace): Promise<EnvironmentAnswer> {
  const { spec } = order;
  if (spec.fromSource.length === 0) return await install(order, place, null);
  const said = await inNew(place, async (id) => ({ kept: false, value: await inSandbox(order, place, id, "wheels") }));
  if (!said.ok) return answerOf(said, "", null);
  return await install({ ...order, spec: { ...spec, lock: said.lock || null } }, place, said);
}

async function install(
  order: EnvironmentOrder,
  place: BuildPlace,
  before: BuildResult | null,
): Promise<EnvironmentAnswer> {
  return await inNew(place, async (id) => {
    const said = await inSandbox(order, place, id, "build", before?.wheels);
    const value = answerOf(said, id, before);
    return { kept: value.kind === "built", value };
  });
}

type Outcome<T> = { readonly kept: boolean; readonly value: T };

async function inNew<T>({ make, remove }: BuildPlace, use: (id: string) => Promise<Outcome<T>>): Promise<T> {
  const id = await make();
  let keep = false;
  try {
    const { kept, value } = await use(id);
    keep = kept;
    return value;
  } finally {
    if (!keep) await remove(id);
  }
}

async function inSandbox(
  order: EnvironmentOrder,
  place: BuildPlace,
  environment: string,
  verb: "build" | "wheels",
  wheels: Readonly<Record<string, string>> = {},
): Promise<TalkResult> {
  await using sandbox = await startBuild(order, place, environment);
  order.onReceipt(sandbox.receipt);
  const { spec, index, say, signal } = order;
  return await buildInside(sandbox, { spec, index, diskBytes: place.diskBytes, say, signal }, verb, wheels);
}

async function startBuild(order: EnvironmentOrder, { starts }: BuildPlace, environment: string): Promise<Sandbox> {
  const { index, signal } = order;
  const onConnection = (connection: Duplex) => index.accept(connection);
  try {
    return await starts.start({ role: "build", environment }, signal, { onConnection, openTo: ["the package index"] });
  } catch (error) {
    if (error instanceof NotIsolated) order.onReceipt(error.receipt);
    throw error;
  }
}
