import { TilthError } from "../errors.js";
import { RunnerRefusal } from "./channel-errors.js";
import type { Container } from "./container.js";
import type { RoleView, SpecContext } from "./container-spec.js";
import type { Engine } from "./engine.js";
import type { DockerImage } from "./image-find.js";
import { receiptItems, selfTestFacts } from "./self-test.js";
import type { Receipt } from "./work-port.js";

const selfTestMs = 30_000;

/** A container and what it showed of its isolation, passed or not. */
export interface Proven {
  readonly container: Container;
  readonly receipt: Receipt;
}

export interface Proof {
  readonly engine: Engine;
  readonly view: RoleView;
  readonly context: SpecContext;
  readonly image: DockerImage;
  /** paths of the host that it must not have */
  readonly probe: readonly string[];
  /** what it may reach; nothing unless given */
  readonly openTo?: readonly string[];
}

/** Has a new container prove its isolation; ends it where it cannot even be asked. */
export async function proven(container: Container, proof: Proof, signal: AbortSignal): Promise<Proven> {
  const { engine, view, context, image, probe, openTo = [] } = proof;
  try {
    const facts = await container.call("self_test", { probe }, { signal, timeoutMs: selfTestMs });
    const items = receiptItems(selfTestFacts.parse(facts), { view, context, imageEnv: Object.keys(image.env) });
    const leftOut = engine.facts.discarded;
    return { container, receipt: { passed: items.every(({ passed }) => passed), items, leftOut, openTo } };
  } catch (error) {
    await container[Symbol.asyncDispose]();
    throw error instanceof RunnerRefusal ? notEvenAsked(error, view.role) : error;
  }
}

/** A runtime under which not even a program of the image starts. */
function notEvenAsked(refusal: RunnerRefusal, role: string): TilthError {
  return new TilthError(
    "infra",
    `the ${role} container could not prove its isolation: ${refusal.message}`,
    "use an engine and a runtime that pass it (docs/engines.md lists some); nothing of the repository has run",
    refusal,
  );
}
