import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TilthError } from "../../../base/errors.js";
import type { HostPlaces } from "../../../base/host-places.js";
import type { Settings } from "../../../settings/settings.js";

type AddressSettings = Pick<Settings, "providerEnvironment" | "host">;

export type EngineAddress =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "http"; readonly host: string; readonly port: number };

const config = z.object({ currentContext: z.string().optional() });
const contextMeta = z.object({ Endpoints: z.object({ docker: z.object({ Host: z.string() }) }) });

/** Docker's own order: an explicit address, else the current context's, else the socket of this machine. */
export function engineAddress({ providerEnvironment: env, host }: AddressSettings): EngineAddress {
  const named = env.DOCKER_HOST ?? contextHost(env, host);
  return named === null ? { kind: "socket", path: defaultSocket(host.userHome) } : parseAddress(named);
}

export function showAddress(address: EngineAddress): string {
  return address.kind === "socket" ? address.path : `tcp://${address.host}:${address.port}`;
}

function contextHost(env: AddressSettings["providerEnvironment"], { userHome }: HostPlaces): string | null {
  const folder = env.DOCKER_CONFIG ?? join(userHome, ".docker");
  const name = env.DOCKER_CONTEXT ?? readJson(join(folder, "config.json"), config)?.currentContext;
  if (name === undefined || name === "" || name === "default") return null;
  const id = createHash("sha256").update(name).digest("hex");
  const meta = readJson(join(folder, "contexts", "meta", id, "meta.json"), contextMeta);
  if (meta) return meta.Endpoints.docker.Host;
  throw new TilthError(
    "usage",
    `the current docker context ${JSON.stringify(name)} has no usable description`,
    "docker context use default",
  );
}

function readJson<T>(path: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // a damaged file counts as missing: docker itself then goes on with the default
    return null;
  }
}

function defaultSocket(home: string): string {
  const ofDesktop = join(home, ".docker", "run", "docker.sock");
  return !existsSync("/var/run/docker.sock") && existsSync(ofDesktop) ? ofDesktop : "/var/run/docker.sock";
}

function parseAddress(text: string): EngineAddress {
  if (text.startsWith("unix://")) return { kind: "socket", path: text.slice("unix://".length) };
  if (text.startsWith("/")) return { kind: "socket", path: text };
  const tcp = /^(?:tcp|http):\/\/(\[[0-9a-f:]+\]|[^/:@]+)(?::(\d+))?\/?$/i.exec(text);
  if (tcp?.[1]) return { kind: "http", host: tcp[1].replace(/^\[|\]$/g, ""), port: Number(tcp[2] ?? 2375) };
  throw new TilthError(
    "usage",
    `tilth cannot reach an engine at ${JSON.stringify(text.replace(/\/\/[^/@]*@/, "//"))}`,
    "set DOCKER_HOST to a unix:// socket (or a plain tcp:// address) of an engine on this machine",
  );
}
