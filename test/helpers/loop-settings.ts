import type { Caps, Settings } from "../../runner/base/settings.js";

/** Settings of a run whose hands and model are fakes. */
export function loopSettings(home: string, caps: Partial<Caps>): Settings {
  return {
    home,
    endpoints: null,
    caps: {
      maxIterationsPerTask: 32,
      maxWallClockMinutes: 120,
      maxTokens: 2_000_000,
      maxCostUsd: null,
      maxEvaluatorCallsPerTask: null,
      ...caps,
    },
    sandbox: {
      image: null,
      baseImage: null,
      runtime: null,
      memoryBytes: 2 ** 31,
      cpus: null,
      pids: 512,
      diskBytes: 1e10,
    },
    egress: { allowed: [], proxies: { https: null, http: null, none: [] } },
    packages: { indexes: ["https://pypi.org/simple/"] },
    dependencies: null,
    buildFromSource: [],
    contextFiles: ["AGENTS.md", "CLAUDE.md"],
    requestTimeoutSeconds: 900,
    stream: false,
    maxOutageMinutes: 10,
    toolTimeoutSeconds: 20,
    checkTimeoutSeconds: 180,
    counterCheckSeconds: 60,
    suite: { mode: "hold", seconds: 300 },
    maxDiffKb: 60,
    contextTokens: null,
    caBundle: null,
    dockerHost: null,
    host: {
      userHome: home,
      path: "/usr/bin:/bin",
      xdgConfigHome: null,
      dockerConfigDir: home,
      dockerContext: null,
      cacheDir: home,
    },
    buildEnvironment: {},
    prices: {},
  };
}
