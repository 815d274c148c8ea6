import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import type { HostPlaces } from "../../runner/base/host-places.js";
import type { ProxySettings } from "../../runner/egress/upstream-proxy.js";
import { given } from "./given.js";

export function userHomeOf(env: NodeJS.ProcessEnv): string {
  return given(env.HOME) ?? homedir() ?? userInfo().homedir;
}

export function placesOf(env: NodeJS.ProcessEnv): HostPlaces {
  const userHome = userHomeOf(env);
  return {
    userHome,
    path: env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    xdgConfigHome: given(env.XDG_CONFIG_HOME),
    cacheDir: join(given(env.XDG_CACHE_HOME) ?? join(userHome, ".cache"), "tilth"),
  };
}

/** Reads the proxy variables; lower-case names take precedence, as in most programs. */
export function proxiesOf(env: NodeJS.ProcessEnv): ProxySettings {
  const set = (name: string) => given(env[name]) ?? given(env[name.toUpperCase()]);
  const all = proxyAddress(set("all_proxy"));
  return {
    https: proxyAddress(set("https_proxy")) ?? all,
    http: proxyAddress(set("http_proxy")) ?? all,
    none: (set("no_proxy") ?? "").split(",").flatMap((name) => given(name) ?? []),
  };
}

/** Null for anything but an HTTP proxy. */
function proxyAddress(text: string | null): string | null {
  if (text === null) return null;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** Variables by which a person says where hands come from. */
const ofProviders = ["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG"];

export function providerEnvironmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const named = ofProviders.map((name) => [name, given(env[name])] as const);
  return Object.fromEntries(named.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

const handedOn = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL"];

export function buildEnvironmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(handedOn.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
