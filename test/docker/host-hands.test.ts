import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { hostPath } from "../../runner/base/ids.js";
import { type DemoPlace, makeDemoPlace } from "../../runner/demo/demo-place.js";
import { demoScript } from "../../runner/demo/demo-script.js";
import { runSession, SessionStore, stageSeed } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
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

/** The first tasks of the demo: one passes at once, one only after a check has failed. The engine's hands play them all. */
function firstTwo(place: DemoPlace): string {
  const seed = join(place.folder, "seed");
  cpSync(place.seed, seed, { recursive: true });
  const prd = join(seed, "prd.json");
  writeFileSync(prd, JSON.stringify(JSON.parse(readFileSync(prd, "utf8")).slice(0, 2)));
  for (const name of readdirSync(join(seed, "tests")))
    if (!/^test_t00[12]_/.test(name)) rmSync(join(seed, "tests", name));
  return seed;
}

test("a whole session runs over them, and leaves nothing behind but what it is for", async () => {
  const place = await makeDemoPlace(loadSettings().host, signal);
  await using model = await startModel(demoScript);
  const settings = { ...loadSettings(), home: place.home, endpoints: endpointsOf(model.baseUrl, null) };
  const common = { settings, origin, trustSource: false, signal, say: () => undefined };
  const staged = await stageSeed({ ...common, source: place.source, from: firstTwo(place), inFlight: "refuse" });
  const files = new SessionStore(hostPath(settings.home)).open(staged.id);
  const passed: boolean[] = [];
  const onEvent = ({ type, payload }: TilthEvent) => void (type === "check_run" && passed.push(payload.passed));
  const end = await runSession({ ...common, files, onEvent });
  expect([end.stop.reason, files.loadCheckpoint().image]).toEqual(["all_done", expect.stringMatching(/^root-/)]);
  expect(passed).toEqual([true, false, true]);
  const subjects = (await place.log(`session/${staged.id}`, signal)).trim().split("\n");
  expect(subjects.map((line) => line.replace(/^\S+ /, "").replace(/:.*/, ""))).toEqual([
    ...["T-002", "T-001", "seed", "A todo list, to be"],
  ]);
  expect(keptIn(join(settings.home, "host-hands"))).toEqual([]);
  rmSync(place.folder, { recursive: true, force: true });
});
