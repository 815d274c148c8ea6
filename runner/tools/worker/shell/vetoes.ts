import { isReadingShell, type SimpleCommand, type Stages, scriptsOf, takesScript } from "./shell-words.js";

interface Veto {
  readonly programs: readonly string[];
  readonly subcommand?: string;
  /** at least one of these must be there; without a list the program alone is enough */
  readonly options?: readonly string[];
  /** an argument that counts like an option */
  readonly argument?: RegExp;
  /** any one of these makes it harmless */
  readonly unless?: readonly string[];
  readonly reason: string;
}

const vetoes: readonly Veto[] = [
  {
    programs: ["git"],
    subcommand: "push",
    options: ["-f", "--force", "--force-with-lease"],
    argument: /^\+./,
    unless: ["-n", "--dry-run"],
    reason: "a forced push rewrites history that others have. There is no remote here, and none is needed.",
  },
  {
    programs: ["git"],
    subcommand: "reset",
    options: ["--hard"],
    reason: "git reset --hard throws work away for good. Put back single files with git checkout -- <path>.",
  },
  {
    programs: ["git"],
    subcommand: "clean",
    options: ["-f", "--force"],
    unless: ["-n", "--dry-run"],
    reason: "git clean -f deletes every file that git does not know. Remove the files you mean by name.",
  },
  {
    programs: ["sudo", "doas"],
    reason: "there is no root here and none to be had. Do it as the ordinary user, or without.",
  },
];

const downloads = new Set(["curl", "wget"]);
const startsWithDownload = /^(?:[<$]\(|`)\s*(?:\S*\/)?(?:curl|wget)\b/;
const pipedDownload =
  "a download is piped into a shell unread. There is no network here; work with what is in the workspace.";

const name = String.raw`([^\s(){};|&'"]{1,24})`;
/** `{ name | name & }; name` with the blanks taken out */
const body = String.raw`[{(](?:\1;+)*\1[|&](?:[|&;]|\1)*[})][;&|]*\1`;
const forkBomb = new RegExp(`${name}\\(\\)${body}`);
const forkBombByWord = new RegExp(`function${name}${body}`);

/** Says why this script is plainly destructive, or returns null. */
export function vetoOf(script: string): string | null {
  for (const { bare, commands, pipelines } of scriptsOf(script)) {
    const text = bare.replace(/\s+/g, "");
    if (forkBomb.test(text) || forkBombByWord.test(text)) return "this is a fork bomb.";
    const veto = commands.map(vetoOfCommand).find((reason) => reason !== null);
    if (veto !== undefined) return veto;
    if (commands.some(isHandedDownload) || pipelines.some(pipesDownload)) return pipedDownload;
  }
  return null;
}

function vetoOfCommand(command: SimpleCommand): string | null {
  return vetoes.find((veto) => applies(veto, command))?.reason ?? null;
}

function applies(veto: Veto, command: SimpleCommand): boolean {
  if (!veto.programs.includes(command.program)) return false;
  if (veto.subcommand === undefined) return true;
  const [subcommand, ...args] = pastGlobalOptions(command.args);
  if (subcommand !== veto.subcommand) return false;
  const end = args.indexOf("--");
  const given = end === -1 ? args : args.slice(0, end);
  const has = (options: readonly string[] = []) => options.some((option) => given.some((arg) => isOption(arg, option)));
  if (has(veto.unless)) return false;
  return has(veto.options) || args.some((arg) => veto.argument?.test(arg) === true);
}

/** git's own options before the subcommand that take the next word as their value. */
const withValue = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function pastGlobalOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-")) at += withValue.has(args[at] ?? "") ? 2 : 1;
  return args.slice(at);
}

/** Finds `-f` also inside `-fd`, and `--force` also as `--force=…`. */
function isOption(arg: string, option: string): boolean {
  if (option.startsWith("--")) return arg === option || arg.startsWith(`${option}=`);
  return /^-[A-Za-z]+$/.test(arg) && arg.includes(option.slice(1));
}

function pipesDownload(stages: Stages): boolean {
  const first = stages.findIndex((commands) => commands.some(({ program }) => downloads.has(program)));
  return first !== -1 && stages.slice(first + 1).some((commands) => commands.some(isReadingShell));
}

function isHandedDownload(command: SimpleCommand): boolean {
  if (startsWithDownload.test(command.program)) return true;
  return takesScript(command) && command.args.some((arg) => startsWithDownload.test(arg));
}
