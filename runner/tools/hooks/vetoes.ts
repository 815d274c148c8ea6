import { programsOf, type SimpleCommand } from "./shell-words.js";

interface Veto {
  readonly programs: readonly string[];
  readonly subcommand?: string;
  /** one of these must be there; none given: the program alone is enough */
  readonly options?: readonly string[];
  /** an argument that counts like an option */
  readonly argument?: RegExp;
  /** one of these makes it harmless */
  readonly unless?: readonly string[];
  readonly reason: string;
}

const vetoes: readonly Veto[] = [
  {
    programs: ["git"],
    subcommand: "push",
    options: ["-f", "--force", "--force-with-lease"],
    argument: /^\+./,
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

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);
const downloads = new Set(["curl", "wget"]);
const downloadInside = /[<$]\(\s*(?:curl|wget)\b|`\s*(?:curl|wget)\b/;
const pipedDownload =
  "a download is piped into a shell unread. There is no network here; work with what is in the workspace.";

/** `name() { name | name & }; name`, blanks taken out */
const forkBomb = /([^\s(){};|&]{1,24})\(\)\{\1\|\1&?;?\};?\1/;

/** Why this script is plainly destructive, or null. */
export function vetoOf(script: string): string | null {
  if (forkBomb.test(script.replace(/\s+/g, ""))) return "this is a fork bomb.";
  for (const pipeline of programsOf(script)) {
    const veto = pipeline.map(vetoOfCommand).find((reason) => reason !== null);
    if (veto !== undefined) return veto;
    if (runsDownload(pipeline)) return pipedDownload;
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
  if (args.some((arg) => veto.unless?.some((option) => isOption(arg, option)))) return false;
  return args.some(
    (arg) => veto.options?.some((option) => isOption(arg, option)) === true || veto.argument?.test(arg) === true,
  );
}

/** git's own options before the subcommand; these take the next word as their value. */
const withValue = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function pastGlobalOptions(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-")) at += withValue.has(args[at] ?? "") ? 2 : 1;
  return args.slice(at);
}

/** `-f` also inside `-fd`; `--force` also as `--force=…`. */
function isOption(arg: string, option: string): boolean {
  if (option.startsWith("--")) return arg === option || arg.startsWith(`${option}=`);
  return /^-[A-Za-z]+$/.test(arg) && arg.includes(option.slice(1));
}

function runsDownload(pipeline: readonly SimpleCommand[]): boolean {
  const first = pipeline.findIndex((command) => downloads.has(command.program));
  const runners = pipeline.filter((command) => shells.has(command.program) || command.program === "eval");
  if (runners.some((command) => command.args.some((arg) => downloadInside.test(arg)))) return true;
  return first !== -1 && pipeline.slice(first + 1).some((command) => shells.has(command.program));
}
