import type { Prices } from "./prices.js";

/** All settings, already checked. `cli/settings/settings.ts` makes them from the environment and `$TILTH_HOME/.env`. */
export interface Settings {
  /** absolute, real path of `$TILTH_HOME` */
  readonly home: string;
  /** null if the verb did not ask for them */
  readonly endpoints: Endpoints | null;
  readonly caps: Caps;
  readonly sandbox: Sandbox;
  readonly egress: EgressSettings;
  readonly packages: PackageSettings;
  /** repo paths of the files that say what the project needs; `none`: it needs nothing; null: tilth looks for them */
  readonly dependencies: readonly string[] | "none" | null;
  /** distributions, by their normalised names, that may be built from source */
  readonly buildFromSource: readonly string[];
  /** repo-relative paths shown to worker and evaluator */
  readonly contextFiles: readonly string[];
  readonly requestTimeoutSeconds: number;
  /** ask for replies as streams */
  readonly stream: boolean;
  readonly maxOutageMinutes: number;
  /** wait for a limit even if it lasts longer than the longest outage; by default such a limit ends the run */
  readonly waitForLimit?: boolean;
  readonly toolTimeoutSeconds: number;
  readonly checkTimeoutSeconds: number;
  /** for all variants of one counter-check together */
  readonly counterCheckSeconds: number;
  /** the project's own tests */
  readonly suite: SuiteSettings;
  readonly maxDiffKb: number;
  /** largest prompt in tokens before old results are folded; null: no limit of ours */
  readonly contextTokens: number | null;
  /** a file of additional CA certificates to trust when an image is built or packages are fetched */
  readonly caBundle: string | null;
  /** the engine's address, or null for docker's own rules (context, then default socket) */
  readonly dockerHost: string | null;
  readonly host: HostPlaces;
  /** variables of the person's environment passed to the image build: proxies and package index */
  readonly buildEnvironment: Readonly<Record<string, string>>;
  /** prices of models whose provider does not report costs; empty unless a person gives them */
  readonly prices: Prices;
}

/** Settings for the verbs that talk to a model. */
export interface ModelSettings extends Settings {
  readonly endpoints: Endpoints;
}

/** The person's own places on the host. */
export interface HostPlaces {
  readonly userHome: string;
  /** the search path, used to find git once */
  readonly path: string;
  readonly xdgConfigHome: string | null;
  readonly dockerConfigDir: string;
  readonly dockerContext: string | null;
  /** for downloads that may be thrown away */
  readonly cacheDir: string;
}

export interface Endpoint {
  readonly baseUrl: string;
  /** null for a keyless local endpoint */
  readonly apiKey: string | null;
  readonly model: string;
  readonly api: Api | "auto";
  readonly tuning: Tuning;
}

/** The interfaces a model can be asked through: chat completions, and OpenAI's Responses. */
export const apis = ["chat", "responses"] as const;
export type Api = (typeof apis)[number];

/** Request parameters for a model. Null is not sent, so the provider's default applies. */
export interface Tuning {
  readonly reasoningEffort: string | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
}

export const untuned: Tuning = { reasoningEffort: null, maxOutputTokens: null, temperature: null };

export type Role = "worker" | "evaluator" | "interviewer";

export type Endpoints = Readonly<Record<Role, Endpoint>>;

/** The prefixes of the variables for each role's endpoint. */
export const endpointPrefixes: Readonly<Record<Role, string>> = {
  worker: "TILTH",
  evaluator: "TILTH_EVALUATOR",
  interviewer: "TILTH_PREP",
};

export interface Caps {
  readonly maxIterationsPerTask: number;
  readonly maxWallClockMinutes: number;
  readonly maxTokens: number;
  readonly maxCostUsd: number | null;
  readonly maxEvaluatorCallsPerTask: number | null;
}

export interface SuiteSettings {
  /** `hold`: tests that passed must still pass; `tell`: failures are only reported; `off`: the tests are not run */
  readonly mode: "hold" | "tell" | "off";
  /** for all runs of them on one tree */
  readonly seconds: number;
}

/** The hosts the worker may reach: none, unless a person allows some. */
export interface EgressSettings {
  /** each `name[:port]`, `*.suffix[:port]` or `address:port` */
  readonly allowed: readonly string[];
  /** the person's own proxies */
  readonly proxies: ProxySettings;
}

/** The sources of distributions. */
export interface PackageSettings {
  /** http or https addresses, the main one first; each may include a user and a password */
  readonly indexes: readonly string[];
}

export interface ProxySettings {
  readonly https: string | null;
  readonly http: string | null;
  /** hosts reached without a proxy, each with all its subdomains; `*` for every host */
  readonly none: readonly string[];
}

export interface Sandbox {
  /** an image reference of the user's own, or null for the built one */
  readonly image: string | null;
  readonly baseImage: string | null;
  readonly runtime: string | null;
  readonly memoryBytes: number;
  readonly cpus: number | null;
  readonly pids: number;
  readonly diskBytes: number;
}
