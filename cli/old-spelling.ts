import { shellWord } from "../runner/source/shell-word.js";

interface Said {
  readonly argv: readonly string[];
  /** one line that names today's spelling, when another was used */
  readonly pointer: string | null;
}

/** `tilth <source>` and `tilth --session ID` of earlier days, as the verb they mean now. */
export function verbOf(argv: readonly string[], verbs: ReadonlySet<string>, isThere: (path: string) => boolean): Said {
  const first = argv[0] ?? "";
  const asked = argv.some((word) => ["-h", "--help", "-V", "--version"].includes(word));
  if (first === "help" || verbs.has(first) || asked) return { argv, pointer: null };
  const option = /^--(session(=.*)?|sandbox)$/.test(first);
  if (!option && (first.startsWith("-") || !looksLikePath(first, isThere))) return { argv, pointer: null };
  const words = argv.map((word) => (/^[\w./:=@%+~-]+$/.test(word) ? word : shellWord(word)));
  return { argv: ["run", ...argv], pointer: `(this is now spelled: tilth run ${words.join(" ")})` };
}

/** Any other word is more likely a verb with a typing error than a folder. */
function looksLikePath(word: string, isThere: (path: string) => boolean): boolean {
  return word === "." || word.includes("/") || (word !== "" && isThere(word));
}
