import { readCaBundle } from "../base/ca-bundle.js";
import { systemClock } from "../base/clock.js";
import type { SessionId } from "../base/ids.js";
import { IndexGateway } from "../egress/index/index-gateway.js";
import type { EnvironmentAnswer, EnvironmentRefusal } from "../hands/ports/environment.js";
import type { HandsImage } from "../hands/ports/hands.js";
import type { KeptEnvironments } from "../hands/ports/provider.js";
import { recordReceipt } from "../loop/context/receipt.js";
import type { EventSink } from "../session/log/events.js";
import type { Settings } from "../settings/settings.js";
import type { DependencyFiles } from "./dependency-files.js";
import { type EnvironmentChoice, namedIn, recordId } from "./environment-key.js";
import { type EnvironmentRecord, EnvironmentStore } from "./environment-store.js";
import { removeStrays } from "./environment-strays.js";

export interface EnvironmentContext {
  readonly kept: KeptEnvironments;
  readonly image: HandsImage;
  readonly settings: Settings;
  /** the session whose container the environment is built in */
  readonly session: SessionId;
  readonly log: EventSink;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface EnvironmentOrder {
  readonly key: string;
  readonly choice: EnvironmentChoice;
  /** installed exactly; with null, versions are resolved unless the store already knows them */
  readonly lock: string | null;
  /** a lock whose versions are kept unless something rules them out */
  readonly prefer?: string | null;
  /** called only when the environment has to be built */
  readonly files: () => Promise<DependencyFiles>;
}

export type EnvironmentOutcome =
  | { readonly kind: "known"; readonly record: EnvironmentRecord; readonly built: boolean }
  | EnvironmentRefusal;

/** Finds an environment that is kept, or builds it now. */
export async function ensureEnvironment(
  context: EnvironmentContext,
  wanted: EnvironmentOrder,
): Promise<EnvironmentOutcome> {
  const { settings, image } = context;
  const store = new EnvironmentStore(settings.home);
  const known = store.load(recordId(wanted.key, image, wanted.lock));
  if (known && (await isThere(context, known))) return { kind: "known", record: known, built: false };
  const answer = await build(context, wanted);
  if (answer.kind !== "built" && answer.kind !== "none") return answer;
  const meanwhile = store.load(recordId(wanted.key, image, wanted.lock));
  if (meanwhile && (await isThere(context, meanwhile))) {
    // two processes built the same environment at once; both use the one that was stored first
    if (answer.kind === "built") await context.kept.remove(answer.environment.id, context.signal);
    return { kind: "known", record: meanwhile, built: false };
  }
  const record = recordOf(wanted.key, answer);
  store.save(recordId(wanted.key, image, record.lock), record);
  if (wanted.lock === null) store.save(recordId(wanted.key, image, null), record);
  return { kind: "known", record, built: true };
}

async function isThere({ kept, signal }: EnvironmentContext, { built }: EnvironmentRecord): Promise<boolean> {
  return built === null || (await kept.has(built, signal));
}

async function build(context: EnvironmentContext, wanted: EnvironmentOrder): Promise<EnvironmentAnswer> {
  const { kept, image, settings, session, log, say, signal } = context;
  const { key, choice, lock, prefer = null } = wanted;
  const { files } = await wanted.files();
  await removeStrays(kept, settings.home, signal);
  const indexes = settings.packages.indexes.map((url) => ({ url }));
  const ca = readCaBundle(settings.caBundle)?.toString("utf8") ?? null;
  await using index = new IndexGateway({ indexes, proxies: settings.egress.proxies, ca });
  const named = namedIn(choice);
  const spec = { files, named, fromSource: choice.fromSource, version: choice.version, lock, prefer };
  const onReceipt = (receipt: Parameters<typeof recordReceipt>[0]["receipt"]) =>
    recordReceipt({ role: "build", image, receipt }, log);
  const answer = await kept.build({ image, session, key, spec, index, say, onReceipt, signal });
  if (answer.kind !== "failed" && answer.kind !== "unresolved") return answer;
  const refused = index.refused();
  if (refused !== null) return { kind: "refused", problem: refused, remedy: notTaken };
  // an earlier failed fetch may have succeeded on a retry, or may not matter because the index had nothing to give
  const trouble = answer.kind === "failed" ? index.trouble() : null;
  return trouble === null ? answer : { kind: "failed", problem: trouble, remedy: unreached };
}

const unreached = "look at the connection and at PIP_INDEX_URL, then try again";

const notTaken =
  "ask for another release or another package, or name other files in TILTH_DEPENDENCIES; an index of your own network has to be configured";

function recordOf(key: string, answer: Extract<EnvironmentAnswer, { kind: "built" | "none" }>): EnvironmentRecord {
  const head = { v: 1, key, created_at: systemClock.now().toISOString() } as const;
  if (answer.kind === "none")
    return { ...head, built: null, lock: "", packages: [], taken: [], said: [...answer.said], python: "", pytest: "" };
  const { lock, packages, taken, said, python, pytest } = answer.facts;
  const lists = { packages: packages.map(([name, version]) => [name, version] as [string, string]), taken: [...taken] };
  return { ...head, built: answer.environment, lock, ...lists, said: [...said], python, pytest };
}
