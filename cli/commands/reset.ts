import { TilthError } from "../../runner/base/errors.js";
import { hostPath } from "../../runner/base/ids.js";
import {
  branchText,
  lossText,
  type Removal,
  remarksOnRemoval,
  resetSession,
  restoreCommand,
  type SessionFiles,
  SessionStore,
} from "../../runner/index.js";
import { atTerminal, choosing } from "../choosing/at-terminal.js";
import { latestSession } from "../choosing/choose-session.js";
import { exitOk } from "../output/exit-codes.js";
import type { Surroundings } from "../output/surroundings.js";
import { loadSettings } from "../settings/settings.js";

export interface ResetOptions {
  readonly yes?: boolean;
}

export async function reset(
  around: Surroundings,
  id: string | undefined,
  { yes = false }: ResetOptions,
): Promise<number> {
  const { output, signal } = around;
  const settings = loadSettings();
  const store = new SessionStore(hostPath(settings.home));
  if (id !== undefined && store.finishRemoval(id)) {
    output.print(`session ${id} was reset before; the rest of its folder is removed now`);
    return exitOk;
  }
  const files = store.open(id ?? latestSession(store, output).id);
  if (!yes && !atTerminal())
    throw new TilthError(
      "usage",
      `removing session ${files.id} needs a yes, and there is no terminal to ask at`,
      askingNobody(files),
    );
  let begun = false;
  const agreed = async (removal: Removal) => {
    begun = await agreedTo(around, removal, yes);
    return begun;
  };
  try {
    const gone = await resetSession({ settings, store, files, signal, agreed });
    if (gone === null) output.say("nothing was done");
    else sayGone(around, gone);
    return exitOk;
  } catch (error) {
    if (begun) output.say(`session ${files.id} may be partly removed; remove the rest: tilth reset ${files.id}`);
    throw error;
  }
}

function askingNobody({ id }: SessionFiles): string {
  return `tilth reset ${id} -y`;
}

/** Says the branch's tip before it is removed: a reset that is killed can say nothing afterwards. */
async function agreedTo(around: Surroundings, removal: Removal, yes: boolean): Promise<boolean> {
  const { output, signal } = around;
  for (const remark of remarksOnRemoval(removal)) output.say(remark);
  if (!yes && (await choosing(output, signal)(question(removal), ["no, leave it as it is", "yes, remove it"])) !== 1)
    return false;
  const undo = restoreCommand(removal);
  output.say(`removing session ${removal.files.id}${undo ? `; its branch can be brought back: ${undo}` : ""}`);
  await output.drain(signal);
  return true;
}

function question({ files, branch }: Removal): string {
  const ofBranch = branch ? `\nThe branch is at ${branch.tip}${lossText(branch)}.` : "";
  return `Remove session ${files.id}, with its branch and all that is in its worktree?${ofBranch}`;
}

function sayGone({ output }: Surroundings, removal: Removal): void {
  output.print(`session ${removal.files.id} is gone${branchText(removal)}`);
  const undo = restoreCommand(removal);
  if (undo) output.print(`bring its branch back: ${undo}`);
}
