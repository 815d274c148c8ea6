import { TilthError } from "../../base/errors.js";
import type { SessionId } from "../../base/ids.js";
import type { Settings } from "../../settings/settings.js";
import type { Examination } from "../ports/provider.js";
import type { ReceiptItem } from "../ports/work.js";
import { Engine } from "./engine/engine.js";
import { proveEngine } from "./engine-proof.js";
import { type DockerImage, findImage } from "./image/image-find.js";

/** Looks at the engine, the image on it, and the isolation of a container of ours there; each needs the one before it. */
export function examinations(settings: Settings, session: SessionId): readonly Examination[] {
  const seen: { engine?: Engine; image?: DockerImage } = {};
  return [
    {
      name: "engine",
      look: async (signal) => {
        seen.engine = await Engine.connect(settings, signal);
        return engineLine(seen.engine, settings.sandbox.runtime);
      },
    },
    {
      name: "image",
      look: async (signal) => {
        seen.image = await imageOn(known(seen.engine), settings, signal);
        return `${seen.image.id.slice(0, 19)}: ${seen.image.tools.join(", ")}`;
      },
    },
    {
      name: "isolation",
      look: async (signal) => {
        const under = { engine: known(seen.engine), image: known(seen.image), settings, session };
        return isolationLine((await proveEngine(under, signal)).items);
      },
    },
  ];
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw new Error("an examination was made before the one that it needs");
  return found;
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
