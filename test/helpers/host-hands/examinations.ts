import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TilthError } from "../../../runner/base/errors.js";
import { hostPath, type SessionId } from "../../../runner/base/ids.js";
import type { Examination } from "../../../runner/hands/ports/provider.js";
import type { Settings } from "../../../runner/settings/settings.js";
import { HostImages } from "./host-images.js";
import { HostSandbox } from "./host-sandbox.js";
import { requireNamespaces } from "./namespaces.js";
import { placesIn } from "./places.js";

/** Looks at this host, the image on it, and a sandbox there. */
export function hostExaminations(settings: Settings, images: string, session: SessionId): readonly Examination[] {
  return [
    {
      name: "host",
      look: async () => {
        await requireNamespaces();
        return "sandboxes are processes of this host";
      },
    },
    { name: "image", look: async () => imageIn(images, settings).tools.join(", ") },
    {
      name: "isolation",
      look: (signal) => {
        const { id } = imageIn(images, settings);
        const root = new HostImages(images, settings).rootOf(id);
        return isolationSeen({ places: placesIn(settings.home), session, root }, signal);
      },
    },
  ];
}

function imageIn(images: string, settings: Settings) {
  const image = new HostImages(images, settings).current();
  if (image === null) throw new TilthError("usage", "the hands image is not built yet", "tilth image build");
  return image;
}

async function isolationSeen(of: Parameters<typeof HostSandbox.start>[1], signal: AbortSignal): Promise<string> {
  const source = mkdtempSync(join(tmpdir(), "tilth-doctor-"));
  try {
    await using sandbox = await HostSandbox.start(
      { role: "read", source: hostPath(source), gitIs: "link" },
      of,
      signal,
    );
    return sandbox.receipt.items.map(({ name, seen }) => `${name}: ${seen}`).join("; ");
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
