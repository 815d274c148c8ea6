import type { HostPlaces } from "../base/host-places.js";
import type { Prices } from "../base/prices.js";
import type { ProxySettings } from "../egress/upstream-proxy.js";
import type { Endpoints } from "./endpoints.js";
import type { Values } from "./setting.js";
import type { runSettings } from "./table.js";

type RunSettings = Values<typeof runSettings>;

/** All settings, already checked. `cli/settings/settings.ts` makes them from the environment and `$TILTH_HOME/.env`. */
export interface Settings extends RunSettings {
  /** absolute, real path of `$TILTH_HOME` */
  readonly home: string;
  /** null if the verb did not ask for them */
  readonly endpoints: Endpoints | null;
  readonly egress: EgressSettings;
  readonly packages: PackageSettings;
  /** wait for a limit even if it lasts longer than the longest outage; by default such a limit ends the run */
  readonly waitForLimit?: boolean;
  /** a file of additional CA certificates to trust when an image is built or packages are fetched */
  readonly caBundle: string | null;
  readonly host: HostPlaces;
  /** variables of the person's environment that say where hands come from; only their provider knows what they mean */
  readonly providerEnvironment: Readonly<Record<string, string>>;
  /** variables of the person's environment passed to the image build: proxies and package index */
  readonly buildEnvironment: Readonly<Record<string, string>>;
  /** prices of models whose provider does not report costs; empty unless a person gives them */
  readonly prices: Prices;
}

/** Settings for the verbs that talk to a model. */
export interface ModelSettings extends Settings {
  readonly endpoints: Endpoints;
}

export type Caps = RunSettings["caps"];

export type SandboxSettings = RunSettings["sandbox"];

export type SuiteSettings = RunSettings["suite"];

/** The hosts the worker may reach: none, unless a person allows some. */
export type EgressSettings = RunSettings["egress"] & {
  /** the person's own proxies */
  readonly proxies: ProxySettings;
};

/** The sources of distributions. */
interface PackageSettings {
  /** http or https addresses, the main one first; each may include a user and a password */
  readonly indexes: readonly string[];
}
