import { shellWord } from "../runner/source/git/shell-word.js";

export interface CommandLine {
  readonly argv: readonly string[];
  /** one line with today's spelling, if an older one was used */
  readonly pointer: string | null;
}

const prep = "--prep-feature";
const ofSession = ["resume", "reset", "visualize"] as const;

/**
 * Translates old spellings to today's verb: `tilth <source>`, `tilth --session ID`, `tilth --prep-feature <source>`,
 * `tilth --resume ID`, `--reset` and `--visualize`.
 */
export function verbOf(
  argv: readonly string[],
  verbs: ReadonlySet<string>,
  isThere: (path: string) => boolean,
): CommandLine {
  const first = argv[0] ?? "";
  const asked = argv.some((word) => ["-h", "--help", "-V", "--version"].includes(word));
  if (first === "help" || verbs.has(first) || asked) return { argv, pointer: null };
  if (argv.includes(prep))
    return now(
      "prep-feature",
      argv.filter((word) => word !== prep),
    );
  for (const verb of ofSession) {
    const flag = `--${verb}`;
    if (!argv.some((word) => word === flag || word.startsWith(`${flag}=`))) continue;
    return now(
      verb,
      argv
        .filter((word) => word !== flag)
        .map((word) => (word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : word)),
    );
  }
  const option = /^--(session(=.*)?|sandbox)$/.test(first);
  if (!option && (first.startsWith("-") || !looksLikePath(first, isThere))) return { argv, pointer: null };
  return now("run", argv);
}

function now(verb: string, rest: readonly string[]): CommandLine {
  const words = rest.map((word) => (/^[\w./:=@%+~-]+$/.test(word) ? word : shellWord(word)));
  return { argv: [verb, ...rest], pointer: `(this is now spelled: tilth ${[verb, ...words].join(" ")})` };
}

/** Any other word is more likely a mistyped verb than a folder. */
function looksLikePath(word: string, isThere: (path: string) => boolean): boolean {
  return word === "." || word.includes("/") || (word !== "" && isThere(word));
}
