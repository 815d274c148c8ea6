import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { Settings } from "../../runner/settings/settings.js";

const run = promisify(execFile);

/** The `bin` folder of a virtual environment with the image's pytest and ruff, or why this host cannot have one. */
export type HostPython = { readonly bin: string } | { readonly missing: string };

export async function hostPython(settings: Settings): Promise<HostPython> {
  const lock = join(packageFolder, "images/hands/requirements.lock");
  const hash = createHash("sha256").update(readFileSync(lock)).digest("hex").slice(0, 12);
  const folder = join(settings.host.cacheDir, `bench-python-${hash}`);
  if (existsSync(folder)) return { bin: join(folder, "bin") };
  try {
    await mkdir(settings.host.cacheDir, { recursive: true });
    await run("python3", ["-m", "venv", folder]);
    const install = ["-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:", "-r", lock];
    await run(join(folder, "bin/python"), install);
    return { bin: join(folder, "bin") };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const why = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
    return { missing: `the host has no python3 with venv and pip that can install the locked tools: ${why}` };
  }
}
