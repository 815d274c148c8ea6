import { type Pipeline, ShellReader, type Stage } from "./shell-reader.js";

export interface SimpleCommand {
  /** base name of the program that runs, past assignments, keywords and programs that only start another */
  readonly program: string;
  readonly args: readonly string[];
}

/** A pipeline: for each stage all the commands in it. */
export type Stages = readonly (readonly SimpleCommand[])[];

export interface Script {
  readonly commands: readonly SimpleCommand[];
  readonly pipelines: readonly Stages[];
  /** the script without quoted text, substitutions and comments */
  readonly bare: string;
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}"]);
/** Programs that start the one named in their arguments, with their options that take a value. */
const starters: ReadonlyMap<string, readonly string[]> = new Map([
  ["env", ["-u", "-C"]],
  ["command", []],
  ["exec", ["-a"]],
  ["builtin", []],
  ["nohup", []],
  ["nice", ["-n"]],
  ["time", ["-f", "-o"]],
  ["timeout", ["-k", "-s"]],
  ["stdbuf", ["-i", "-o", "-e"]],
  ["setsid", []],
  ["xargs", ["-I", "-d", "-E", "-a"]],
]);
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);
const maxNesting = 4;

/** Returns roughly what a shell would run, script by script: the given one first, then those inside it. */
export function scriptsOf(text: string, nesting = 0): readonly Script[] {
  const { script, documents } = withoutHereDocuments(text);
  const { pipelines, nested, bare } = new ShellReader(script).read();
  const read = { bare, ...inGroups(pipelines) };
  if (nesting >= maxNesting) return [read];
  const fed = documents.filter(({ line }) => feedsShell(line)).map((one) => one.text);
  const inner = [...nested, ...read.commands.flatMap(scriptIn), ...fed].filter((one) => one.trim() !== "");
  return [read, ...inner.flatMap((one) => scriptsOf(one, nesting + 1))];
}

/** Tells whether this is a shell that runs its standard input. */
export function isReadingShell({ program, args }: SimpleCommand): boolean {
  if (!shells.has(program)) return false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (/^-[a-z]*c$/.test(arg)) return false;
    if (/^-[a-z]*s$/.test(arg)) return true;
    if (/^[-+][oO]$/.test(arg)) at += 1;
    else if (!/^[-+]/.test(arg)) return arg === "/dev/stdin";
  }
  return true;
}

/** Tells whether this is a shell, or a word that makes the running shell read a script. */
export function takesScript({ program }: SimpleCommand): boolean {
  return shells.has(program) || program === "source" || program === ".";
}

function feedsShell(line: string): boolean {
  return inGroups(new ShellReader(line).read().pipelines).commands.some(isReadingShell);
}

function inGroups(all: readonly Pipeline[]): Omit<Script, "bare"> {
  const inner: Stages[] = [];
  const commandsOf = (stage: Stage): readonly SimpleCommand[] => {
    if ("words" in stage) return commandsIn(stage.words);
    const group = inGroups(stage.group);
    inner.push(...group.pipelines);
    return group.commands;
  };
  const own = all.map((stages) => stages.map(commandsOf));
  return { pipelines: [...own, ...inner], commands: own.flat(2) };
}

function commandsIn(words: readonly string[]): readonly SimpleCommand[] {
  const command = commandOf(words);
  return command === null ? [] : [command, ...executed(command)];
}

function commandOf(words: readonly string[]): SimpleCommand | null {
  let at = 0;
  let valued: readonly string[] | null = null;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (keywords.has(word) || isAssignment(word)) continue;
    if (valued !== null && /^(?:-|\d)/.test(word)) at += valued.includes(word) ? 1 : 0;
    else if (!starters.has(baseName(word)) || isQuestion(words.slice(at))) break;
    else valued = starters.get(baseName(word)) ?? null;
  }
  const word = words[at];
  return word === undefined ? null : { program: baseName(word), args: words.slice(at + 1) };
}

/** `command -v sudo` only asks whether there is one. */
function isQuestion([word, option]: readonly string[]): boolean {
  return word === "command" && /^-[pvV]*[vV]$/.test(option ?? "");
}

/** Returns the command that `find` runs for each of its results. */
function executed({ program, args }: SimpleCommand): readonly SimpleCommand[] {
  const at = program === "find" ? args.findIndex((arg) => /^-(?:exec|ok)(?:dir)?$/.test(arg)) : -1;
  const command = at === -1 ? null : commandOf(args.slice(at + 1));
  return command === null ? [] : [command];
}

function scriptIn({ program, args }: SimpleCommand): readonly string[] {
  if (program === "eval") return [args.join(" ")];
  if (!shells.has(program)) return [];
  const flag = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = flag === -1 ? undefined : args[flag + 1];
  return script === undefined ? [] : [script];
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/.test(word);
}

/** Leaves a substitution whole, because its output is the program that runs. */
function baseName(word: string): string {
  return /^(?:\$\(|`)/.test(word) ? word : word.slice(word.lastIndexOf("/") + 1);
}

interface HereDocument {
  /** the line that asks for it */
  readonly line: string;
  readonly text: string;
}

const hereDocument = /(?<!<)<<-?[ \t]{0,8}(?:(["'])([^"'\n]{1,64})\1|\\?([A-Za-z_][\w.-]{0,63}))/g;

/** Separates a script from its here-documents, which are input and not commands: a README may speak of `sudo`. */
function withoutHereDocuments(script: string): { script: string; documents: readonly HereDocument[] } {
  const kept: string[] = [];
  const documents: { line: string; body: string[] }[] = [];
  let open: string[] = [];
  for (const line of script.split("\n")) {
    if (open.length === 0) {
      kept.push(line);
      open = [...line.matchAll(hereDocument)].map((found) => found[2] ?? found[3] ?? "");
      if (open.length > 0) documents.push({ line, body: [] });
    } else if (line.trim() === open[0]) open.shift();
    else documents.at(-1)?.body.push(line);
  }
  return { script: kept.join("\n"), documents: documents.map(({ line, body }) => ({ line, text: body.join("\n") })) };
}
