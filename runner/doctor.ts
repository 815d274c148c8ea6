import type { z } from "zod";
import { TilthError } from "./errors.js";
import { Engine } from "./hands/engine.js";
import { findImage } from "./hands/image-find.js";
import type { findingSchema } from "./json-shapes.js";
import { probeEndpoint } from "./model/probe.js";
import type { Endpoint, Role, Settings } from "./settings.js";
import { HostGit } from "./source/host-git.js";

export type Finding = Readonly<z.infer<typeof findingSchema>>;

/** Everything a run needs of the machine, each looked at by itself. */
export async function examine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    await finding("git", () => gitVersion(settings, signal)),
    ...(await examineEngine(settings, signal)),
    ...(await Promise.all(distinctEndpoints(settings).map((one) => examineEndpoint(one, signal)))),
  ];
}

async function finding(name: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, seen: await look(), remedy: "" };
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    return { name, ok: false, seen: error.message, remedy: error.hint };
  }
}

async function gitVersion(settings: Settings, signal: AbortSignal): Promise<string> {
  const git = HostGit.find(settings.host);
  const { stdout } = await git.run(["version"], { gitDir: null, doing: "tell its version", signal });
  return `${stdout.toString("utf8").trim()} (${git.binary})`;
}

async function examineEngine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  let engine: Engine | null = null;
  const found = await finding("engine", async () => {
    engine = await Engine.connect(settings, signal);
    return engineLine(engine);
  });
  return engine === null ? [found] : [found, await finding("image", () => imageLine(engine, settings, signal))];
}

function engineLine({ facts }: Engine): string {
  const without = facts.discarded.length > 0 ? `; it discards limits on ${facts.discarded.join(", ")}` : "";
  return `${facts.version}, runtime ${facts.defaultRuntime}, ${facts.cpus} cores${without}`;
}

async function imageLine(engine: Engine | null, settings: Settings, signal: AbortSignal): Promise<string> {
  const image = engine && (await findImage(engine, settings, signal));
  if (!image) throw new TilthError("usage", "the hands image is not built yet", "tilth image build");
  return `${image.id.slice(0, 19)}: ${image.tools.join(", ")}`;
}

type Named = Endpoint & { readonly roles: readonly Role[] };

/** Roles that share an address and a key are one question. */
function distinctEndpoints({ endpoints }: Settings): readonly Named[] {
  const byPlace = new Map<string, Named>();
  for (const [role, endpoint] of Object.entries(endpoints ?? {}) as [Role, Endpoint][]) {
    const place = `${endpoint.baseUrl} ${endpoint.apiKey ?? ""}`;
    byPlace.set(place, { ...endpoint, roles: [...(byPlace.get(place)?.roles ?? []), role] });
  }
  return [...byPlace.values()];
}

async function examineEndpoint(endpoint: Named, signal: AbortSignal): Promise<Finding> {
  return finding("endpoint", async () => {
    const who = `${endpoint.baseUrl} (${endpoint.roles.join(", ")})`;
    const probe = await probeEndpoint(endpoint, signal);
    switch (probe.kind) {
      case "answers":
        return `${who} answers`;
      case "no_list":
        return `${who} answers, without a list of models (status ${probe.status})`;
      case "denied":
        throw new TilthError(
          "usage",
          `${who} refuses the key (status ${probe.status})`,
          "correct the API_KEY; tilth config shows where it comes from",
        );
      case "unreachable":
        throw new TilthError(
          "usage",
          `${who} cannot be reached: ${probe.why}`,
          "correct the BASE_URL, or start the server",
        );
    }
  });
}
