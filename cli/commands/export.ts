import { TilthError } from "../../runner/errors.js";
import { otlpDocument, SessionStore } from "../../runner/index.js";
import { asSessionId, hostPath } from "../../runner/support/ids.js";
import { latestSession } from "../choose-session.js";
import { exitOk } from "../exit-codes.js";
import { loadSettings } from "../settings.js";
import type { Surroundings } from "../surroundings.js";

export async function exportSession(
  { output, signal }: Surroundings,
  id: string | undefined,
  options: { readonly otlpJson?: boolean },
): Promise<number> {
  if (!options.otlpJson)
    throw new TilthError(
      "usage",
      "tilth export needs a format to write",
      `tilth export ${asSessionId(id ?? "") ?? "<id>"} --otlp-json`,
    );
  const store = new SessionStore(hostPath(loadSettings().home));
  const files = store.open(id ?? latestSession(store, output).id);
  await output.streamJson(otlpDocument(files), signal);
  return exitOk;
}
