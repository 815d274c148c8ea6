import { noProxies } from "../../runner/egress/upstream-proxy.js";
import { defaultsOf } from "../../runner/settings/setting.js";
import type { Caps, Settings } from "../../runner/settings/settings.js";
import { runSettings } from "../../runner/settings/table.js";

/** Settings of a run whose hands and model are fakes. */
export function loopSettings(home: string, caps: Partial<Caps>): Settings {
  const defaults = defaultsOf(runSettings);
  return {
    ...defaults,
    home,
    endpoints: null,
    caps: { ...defaults.caps, ...caps },
    egress: { ...defaults.egress, proxies: noProxies },
    packages: { indexes: ["https://pypi.org/simple/"] },
    toolTimeoutSeconds: 20,
    caBundle: null,
    host: {
      userHome: home,
      path: "/usr/bin:/bin",
      xdgConfigHome: null,
      cacheDir: home,
    },
    providerEnvironment: {},
    buildEnvironment: {},
    prices: {},
  };
}
