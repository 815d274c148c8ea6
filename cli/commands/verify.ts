import { hostPath } from "../../runner/base/ids.js";
import { SessionStore, type Verification, verifySession } from "../../runner/index.js";
import { latestSession } from "../choosing/choose-session.js";
import { exitFound, exitOk } from "../output/exit-codes.js";
import type { Output } from "../output/output.js";
import { bold, dim, green, line, red } from "../output/painted.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadSettings } from "../settings/settings.js";

export async function verify(
  { output, signal }: Surroundings,
  id: string | undefined,
  options: { readonly json?: boolean },
): Promise<number> {
  const settings = loadSettings();
  const store = new SessionStore(hostPath(settings.home));
  const files = store.open(id ?? latestSession(store, output).id);
  const verification = await verifySession({ settings, files, signal, say: (text) => output.say(text) });
  if (options.json) output.printJson(verification);
  else print(verification, output);
  return verification.agrees ? exitOk : exitFound;
}

function print({ id, agrees, compared, remarks, differs }: Verification, output: Output): void {
  for (const { what, where, expected, seen } of differs) {
    output.print(line`${red("differs")}  ${bold(what)}: ${where}`);
    output.print(line`    expected ${expected}`);
    output.print(line`    seen     ${seen}`);
  }
  for (const text of compared) output.print(line`${dim("compared")}  ${text}`);
  for (const text of remarks) output.print(line`${dim("note")}  ${text}`);
  const count = differs.length === 1 ? "one thing" : `${differs.length} things`;
  output.print(line`session ${id} ${agrees ? green("agrees with its record") : red(`differs in ${count}`)}`);
}
