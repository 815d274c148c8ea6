import { TilthError } from "../../runner/base/errors.js";
import { asSessionId, hostPath } from "../../runner/base/ids.js";
import { otlpDocument, SessionStore } from "../../runner/index.js";
import { latestSession } from "../choosing/choose-session.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadSettings } from "../settings/settings.js";

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
