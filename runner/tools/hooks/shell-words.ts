import { ShellReader } from "./shell-reader.js";

export interface SimpleCommand {
  /** base name of what runs, past assignments, keywords and programs that only start another */
  readonly program: string;
  readonly args: readonly string[];
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "time", "!", "{", "}"]);
const starters = new Set([
  "env",
  "command",
  "exec",
  "builtin",
  "nohup",
  "nice",
  "timeout",
  "stdbuf",
  "setsid",
  "xargs",
]);
const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);
const maxNesting = 4;

/** Roughly what a shell would run, pipeline by pipeline, scripts inside scripts included. */
export function programsOf(script: string, nesting = 0): readonly (readonly SimpleCommand[])[] {
  const { pipelines, nested } = new ShellReader(script).read();
  const commands = pipelines.map((pipeline) => pipeline.map(commandOf).filter((command) => command !== null));
  if (nesting >= maxNesting) return commands;
  const inner = [...nested, ...commands.flat().flatMap(scriptIn)];
  return [...commands, ...inner.flatMap((one) => programsOf(one, nesting + 1))];
}

function commandOf(words: readonly string[]): SimpleCommand | null {
  let at = 0;
  let started = false;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const skipped = keywords.has(word) || isAssignment(word) || (started && /^(?:-|\d)/.test(word));
    if (skipped) continue;
    if (!starters.has(baseName(word))) break;
    started = true;
  }
  const word = words[at];
  return word === undefined ? null : { program: baseName(word), args: words.slice(at + 1) };
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

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
