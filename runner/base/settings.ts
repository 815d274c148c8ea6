import type { Prices } from "./prices.js";

/** Every setting, already checked. `cli/settings/settings.ts` makes it from the environment and `$TILTH_HOME/.env`. */
export interface Settings {
  /** absolute, real path of `$TILTH_HOME` */
  readonly home: string;
  /** null where none were asked for */
  readonly endpoints: Endpoints | null;
  readonly caps: Caps;
  readonly sandbox: Sandbox;
  readonly egress: EgressSettings;
  readonly packages: PackageSettings;
  /** paths in the repo of the files that say what the project needs; `none`: it needs nothing; null: tilth looks for them */
  readonly dependencies: readonly string[] | "none" | null;
  /** distributions, by their normalised names, that may be built from source */
  readonly buildFromSource: readonly string[];
  /** repo-relative paths shown to worker and evaluator */
  readonly contextFiles: readonly string[];
  readonly requestTimeoutSeconds: number;
  /** replies are asked for as streams */
  readonly stream: boolean;
  readonly maxOutageMinutes: number;
  /** a limit that lasts longer than an outage may is waited for; it ends the run unless given */
  readonly waitForLimit?: boolean;
  readonly toolTimeoutSeconds: number;
  readonly checkTimeoutSeconds: number;
  /** for all variants of one counter-check together */
  readonly counterCheckSeconds: number;
  /** the project's own tests */
  readonly suite: SuiteSettings;
  readonly maxDiffKb: number;
  /** tokens a conversation's prompt may come to before old results are folded; null: no limit of ours */
  readonly contextTokens: number | null;
  /** a file of CA certificates to trust in addition, where an image is built and where packages are fetched */
  readonly caBundle: string | null;
  /** where the engine listens: an explicit address, or null for docker's own rules (context, then default socket) */
  readonly dockerHost: string | null;
  readonly host: HostPlaces;
  /** variables of the person's environment that the image build hands on: proxies and package index */
  readonly buildEnvironment: Readonly<Record<string, string>>;
  /** what models cost where their provider does not say; empty unless a person gives prices */
  readonly prices: Prices;
}

/** For the verbs that talk to a model. */
export interface ModelSettings extends Settings {
  readonly endpoints: Endpoints;
}

/** Where things of the person's own lie on the host. */
export interface HostPlaces {
  readonly userHome: string;
  /** the search path, for finding git once */
  readonly path: string;
  readonly xdgConfigHome: string | null;
  readonly dockerConfigDir: string;
  readonly dockerContext: string | null;
  /** where downloads that may be thrown away are kept */
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

/** The interfaces that models are asked through: chat completions, and OpenAI's Responses. */
export const apis = ["chat", "responses"] as const;
export type Api = (typeof apis)[number];

/** How a model is asked to answer. Null is not sent: the provider's own default counts. */
export interface Tuning {
  readonly reasoningEffort: string | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
}

export const untuned: Tuning = { reasoningEffort: null, maxOutputTokens: null, temperature: null };

export type Role = "worker" | "evaluator" | "interviewer";

export type Endpoints = Readonly<Record<Role, Endpoint>>;

/** What the variables of a role's endpoint begin with. */
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
  /** `hold`: what passed has to pass; `tell`: what does not is only told; `off`: they are not run */
  readonly mode: "hold" | "tell" | "off";
  /** for all runs of them about one tree */
  readonly seconds: number;
}

/** Where the worker may reach out to: nowhere, unless a person says so. */
export interface EgressSettings {
  /** each `name[:port]`, `*.suffix[:port]` or `address:port` */
  readonly allowed: readonly string[];
  /** the person's own proxies */
  readonly proxies: ProxySettings;
}

/** Where distributions come from. */
export interface PackageSettings {
  /** http or https addresses, the main one first; a user and a password may stand in them */
  readonly indexes: readonly string[];
}

export interface ProxySettings {
  readonly https: string | null;
  readonly http: string | null;
  /** hosts that are reached without one, each with all below it; `*` for every host */
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
