import { TilthError } from "../../../base/errors.js";
import { ResidentRefusal } from "../../pipe/channel-errors.js";
import { perform } from "../../pipe/perform.js";
import { operations } from "../../pipe/wire/operations.js";
import type { RoleView, Sandbox } from "../../ports/sandbox.js";
import { NotIsolated, type Receipt } from "../../ports/work.js";
import type { SpecContext } from "./container-spec.js";
import { ownNamespaces } from "./namespaces.js";
import { receiptItems } from "./self-test.js";

const selfTestMs = 30_000;

/** The conditions, besides its spec, against which a container is checked. */
export interface Isolation {
  /** names of variables that the image itself declares */
  readonly imageEnv: readonly string[];
  /** paths of the host that it must not have */
  readonly probe: readonly string[];
  /** limits that the engine says it discards */
  readonly discarded: readonly string[];
}

export interface Proof extends Isolation {
  readonly view: RoleView;
  readonly context: SpecContext;
  /** hosts that it may reach; none by default */
  readonly openTo?: readonly string[] | undefined;
}

/** Makes a new container prove its isolation; throws NotIsolated when an item failed. */
export async function proven(container: Pick<Sandbox, "call">, proof: Proof, signal: AbortSignal): Promise<Receipt> {
  const { view, context, imageEnv, probe, discarded, openTo = [] } = proof;
  const options = { signal, timeoutMs: selfTestMs };
  const facts = await perform(container, operations.self_test, { probe }, options).catch((error: unknown) => {
    throw error instanceof ResidentRefusal ? notEvenAsked(error, view.role) : error;
  });
  const items = receiptItems(facts, { view, context, imageEnv, host: ownNamespaces() });
  const receipt = { passed: items.every(({ passed }) => passed), items, leftOut: discarded, openTo };
  if (!receipt.passed) throw new NotIsolated(view.role, receipt);
  return receipt;
}

/** Explains a runtime under which not even a program of the image starts. */
function notEvenAsked(refusal: ResidentRefusal, role: string): TilthError {
  return new TilthError(
    "infra",
    `the ${role} container could not prove its isolation: ${refusal.message}`,
    "use an engine and a runtime that pass it (docs/engines.md lists some); nothing of the repository has run",
    refusal,
  );
}
