import { type Script, scriptedEndpoints } from "../../runner/demo/script/script.js";
import { ScriptedModel } from "../../runner/demo/scripted-model.js";
import type { Endpoints } from "../../runner/settings/endpoints.js";

export type { Turn } from "../../runner/demo/script/script.js";

/** A key that must not turn up in anything a test leaves behind. */
export const canaryKey = "sk-CANARY-5f1d9c27";

export function startModel(script: Script = {}): Promise<ScriptedModel> {
  return ScriptedModel.start(script);
}

export function endpointsOf(baseUrl: string, apiKey: string | null = canaryKey): Endpoints {
  return scriptedEndpoints(baseUrl, apiKey);
}
