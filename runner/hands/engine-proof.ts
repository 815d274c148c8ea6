import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Settings } from "../settings.js";
import { hostPath, type SessionId } from "../support/ids.js";
import { Container } from "./container.js";
import type { Engine } from "./engine.js";
import type { DockerImage } from "./image-find.js";
import { proven } from "./proof.js";
import { specContext } from "./role-starts.js";
import type { Receipt } from "./work-port.js";

export interface EngineUnderProof {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
  /** of no session that there is: its labels let a later start remove what a killed process left */
  readonly session: SessionId;
}

/** What a session's isolation would be on this engine: its self-test, in a container that sees an empty folder. */
export async function proveEngine(under: EngineUnderProof, signal: AbortSignal): Promise<Receipt> {
  const { engine, settings, image } = under;
  const folder = mkdtempSync(join(tmpdir(), "tilth-doctor-"));
  try {
    const view = { role: "read", source: hostPath(folder), gitIs: "link" } as const;
    const context = specContext(under);
    await using container = await Container.start(engine, view, { context, signal });
    const proof = { engine, view, context, image, probe: [settings.home] };
    return (await proven(container, proof, signal)).receipt;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
