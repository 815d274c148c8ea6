import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { hostPath } from "../../runner/base/ids.js";
import { makeDemoPlace } from "../../runner/demo/demo-place.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import { runSession, SessionStore, stageSeed } from "../../runner/index.js";
import { everyPart } from "../helpers/contracts/every-part.js";
import { handsContract } from "../helpers/contracts/hands-contract.js";
import { openedHands, openedReading } from "../helpers/contracts/opened.js";
import { providerContract } from "../helpers/contracts/provider-contract.js";
import { readingContract } from "../helpers/contracts/reading-contract.js";
import { sandboxContract } from "../helpers/contracts/sandbox-contract.js";
import { hostOrigin } from "../helpers/host-hands/host-provider.js";
import { folderForPrograms, hostProvider, hostSandboxes } from "../helpers/host-hands/worlds.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";

const { signal } = new AbortController();
const folder = folderForPrograms();
const images = join(folder, "images");
const origin = hostOrigin(images);
beforeAll(async () => {
  const provider = await origin.connect(loadSettings(), signal);
  await provider.images.build(() => undefined, signal);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

sandboxContract("processes of this host", () => hostSandboxes(images));
handsContract("hands of processes", () => openedHands(origin), everyPart);
readingContract("a source before a process", (files) => openedReading(origin, files));
providerContract("HostProvider", () => hostProvider(images));

/** Everything of the sandboxes, repositories and environments in a folder of theirs. */
function keptIn(folder: string): string[] {
  return ["sandboxes", "repositories", "environments"].flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [],
  );
}

test("a whole session runs over them, and leaves nothing behind but what it is for", async () => {
  const place = await makeDemoPlace(loadSettings().host, signal);
  await using model = await startModel(demoScript);
  const settings = { ...loadSettings(), home: place.home, endpoints: endpointsOf(model.baseUrl, null) };
  const common = { settings, origin, trustSource: false, signal, say: () => undefined };
  const staged = await stageSeed({ ...common, source: place.source, from: place.seed, inFlight: "refuse" });
  const files = new SessionStore(hostPath(settings.home)).open(staged.id);
  const end = await runSession({ ...common, files, onEvent: () => undefined });
  expect([end.stop.reason, files.loadCheckpoint().image]).toEqual(["all_done", expect.stringMatching(/^root-/)]);
  const subjects = (await place.log(`session/${staged.id}`, signal)).trim().split("\n");
  expect(subjects.map((line) => line.replace(/^\S+ /, "").replace(/:.*/, ""))).toEqual([
    ...["T-005", "T-004", "T-003", "T-002", "T-001", "seed", "A todo list, to be"],
  ]);
  expect(keptIn(join(settings.home, "host-hands"))).toEqual([]);
  rmSync(place.folder, { recursive: true, force: true });
});
