import { existsSync, readFileSync } from "node:fs";
import { ask } from "./engine-address.js";
import { isDebian, isInstalled, isRoot } from "./host.js";

const ours = ["tilth-hands", "tilth-tools", "tilth-base"];

/** Installs mmdebstrap if the hands image is still to be built and no image registry has its base. */
export async function ensureBootstrapTool(engine, apt) {
  if (!isDebian() || !isRoot || isInstalled("mmdebstrap")) return;
  if (process.env.TILTH_BASE_IMAGE || process.env.TILTH_SANDBOX_IMAGE) return;
  if ((await hasOurImages(engine)) || (await registryAnswers(engine))) return;
  apt.install(["mmdebstrap"], "no image registry answers, and it makes the hands image's base of Debian's packages");
}

async function hasOurImages(engine) {
  const filters = encodeURIComponent(JSON.stringify({ reference: ours }));
  const { status, text } = await ask(engine, `/images/json?filters=${filters}`);
  return status === 200 && JSON.parse(text).length > 0;
}

async function registryAnswers(engine) {
  const dockerfile = "images/hands/Dockerfile";
  const base = existsSync(dockerfile) && /^ARG BASE=(\S+)$/m.exec(readFileSync(dockerfile, "utf8"))?.[1];
  if (!base) return false;
  return (await ask(engine, `/distribution/${encodeURIComponent(base)}/json`, 8_000)).status === 200;
}
