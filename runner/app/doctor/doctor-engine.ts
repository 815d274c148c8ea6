import { systemClock } from "../../base/clock.js";
import { TilthError } from "../../base/errors.js";
import type { Settings } from "../../base/settings.js";
import { Engine } from "../../hands/docker/engine/engine.js";
import { proveEngine } from "../../hands/docker/engine-proof.js";
import { type DockerImage, findImage } from "../../hands/docker/image/image-find.js";
import type { ReceiptItem } from "../../hands/ports/work.js";
import { newSessionId } from "../../session/store.js";
import { type Finding, finding } from "./finding.js";

/** Examines the engine, the image on it, and the isolation of a container of ours there. */
export async function examineEngine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const seen: { engine?: Engine; image?: DockerImage } = {};
  const findings = [
    await finding("engine", async () => {
      seen.engine = await Engine.connect(settings, signal);
      return engineLine(seen.engine, settings.sandbox.runtime);
    }),
  ];
  const { engine } = seen;
  if (!engine) return findings;
  findings.push(
    await finding("image", async () => {
      seen.image = await imageOn(engine, settings, signal);
      return `${seen.image.id.slice(0, 19)}: ${seen.image.tools.join(", ")}`;
    }),
  );
  const { image } = seen;
  if (!image) return findings;
  const session = newSessionId(systemClock.now());
  const proof = () => proveEngine({ engine, settings, image, session }, signal);
  return [...findings, await finding("isolation", async () => isolationLine((await proof()).items))];
}

function engineLine({ facts }: Engine, runtime: string | null): string {
  const without = facts.discarded.length > 0 ? `; it discards limits on ${facts.discarded.join(", ")}` : "";
  const cgroups = facts.cgroupVersion === null ? "" : `, cgroup v${facts.cgroupVersion}`;
  return `${facts.dialect} ${facts.version}, runtime ${runtime ?? facts.defaultRuntime}${cgroups}, ${facts.cpus} cores${without}`;
}

async function imageOn(engine: Engine, settings: Settings, signal: AbortSignal): Promise<DockerImage> {
  const image = await findImage(engine, settings, signal);
  if (!image) throw new TilthError("usage", "the hands image is not built yet", "tilth image build");
  return image;
}

function isolationLine(items: readonly ReceiptItem[]): string {
  const failed = items.filter(({ passed }) => !passed);
  if (failed.length === 0) return `${items.map(({ name }) => name).join(", ")}: all passed`;
  throw new TilthError(
    "usage",
    failed.map(({ name, seen }) => `${name} (${seen})`).join("; "),
    "use an engine and a runtime that pass it (docs/engines.md lists some)",
  );
}
