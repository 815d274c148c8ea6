import { once } from "node:events";
import { secretsIn } from "../../runner/app/opening/known-secrets.js";
import { hostPath } from "../../runner/base/ids.js";
import { writePiecesAtomic } from "../../runner/disk/atomic-file.js";
import { type SessionFiles, SessionStore } from "../../runner/index.js";
import { Masker } from "../../runner/text/mask.js";
import { latestSession } from "../choosing/choose-session.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadAssets, type PageAssets } from "../page/assets.js";
import { factsOf } from "../page/facts.js";
import { type Mask, offlinePage } from "../page/page.js";
import { loadSettings, readRawSettings } from "../settings/settings.js";

export interface VisualizeOptions {
  readonly serve?: boolean;
}

export async function visualize(
  around: Surroundings,
  id: string | undefined,
  { serve = false }: VisualizeOptions,
): Promise<number> {
  const store = new SessionStore(hostPath(loadSettings().home));
  const files = store.open(id ?? latestSession(store, around.output).id);
  const given = { store, assets: loadAssets(), mask: knownKeysOut() };
  return serve ? await serveLive(around, files, given) : await writePage(around, files, given);
}

interface PageSource {
  readonly store: SessionStore;
  readonly assets: PageAssets;
  readonly mask: Mask;
}

async function writePage({ output, signal }: Surroundings, files: SessionFiles, given: PageSource): Promise<number> {
  const { assets, mask, store } = given;
  const page = offlinePage({ assets, facts: factsOf(store, files, false), events: files.paths.events, mask, signal });
  await writePiecesAtomic(files.paths.chat, page);
  output.print(files.paths.chat);
  return exitOk;
}

async function serveLive({ output, signal }: Surroundings, { id }: SessionFiles, given: PageSource): Promise<never> {
  const { PageServer } = await import("../page/server.js");
  await using server = await PageServer.start(given);
  output.print(`session ${id}: ${server.address}s/${id}/`);
  output.print(`all sessions: ${server.address}`);
  output.say("only this machine can open them, and only with the key in the address; Ctrl-C ends it");
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}

function knownKeysOut(): Mask {
  const { inForce, indexes } = readRawSettings();
  const secrets = inForce.filter(({ setting }) => setting.secret).map(({ value }) => value);
  const masker = new Masker([...secrets, ...indexes.flatMap(secretsIn)]);
  return (text) => masker.text(text);
}
