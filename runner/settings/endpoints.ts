import type { Api } from "../base/apis.js";
import { defaultsOf, type Values } from "./setting.js";
import { endpointSettings } from "./table.js";

/** The model roles: each may have an endpoint of its own. */
export type Role = keyof typeof endpointSettings;

export type Endpoints = Readonly<Record<Role, Endpoint>>;

export interface Endpoint {
  readonly baseUrl: string;
  /** null for a keyless local endpoint */
  readonly apiKey: string | null;
  readonly model: string;
  readonly api: Api | "auto";
  readonly tuning: Tuning;
}

/** Parameters of a request to a model. Null is not sent, so the provider's default applies. */
export type Tuning = Values<typeof endpointSettings.worker.tuning>;

export const untuned: Tuning = defaultsOf(endpointSettings.worker.tuning);
