import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostPath, type SessionId } from "../../base/ids.js";
import type { Settings } from "../../settings/settings.js";
import { type Receipt, receiptOf } from "../ports/work.js";
import { Container } from "./container/container.js";
import type { Engine } from "./engine/engine.js";
import type { DockerImage } from "./image/image-find.js";
import { isolationOf, specContext } from "./role-starts.js";

export interface EngineUnderProof {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly image: DockerImage;
  /** belongs to no real session: its labels let a later start remove what a killed process left */
  readonly session: SessionId;
}

/** Runs a session's self-test on this engine, in a container that sees an empty folder, and returns its receipt. */
export async function proveEngine(under: EngineUnderProof, signal: AbortSignal): Promise<Receipt> {
  const { engine } = under;
  const folder = mkdtempSync(join(tmpdir(), "tilth-doctor-"));
  try {
    const view = { role: "read", source: hostPath(folder), gitIs: "link" } as const;
    await using container = await Container.start(engine, view, {
      context: specContext(under),
      isolation: isolationOf(under),
      signal,
    });
    return container.receipt;
  } catch (error) {
    return receiptOf(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
