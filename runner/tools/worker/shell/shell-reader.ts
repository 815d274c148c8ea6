/** Commands that feed one another. */
export type Pipeline = readonly Stage[];

/** One command as its words, or a `( … )` or `{ … }` as the pipelines in it. */
export type Stage = { readonly words: readonly string[] } | { readonly group: readonly Pipeline[] };

export interface ShellText {
  readonly pipelines: readonly Pipeline[];
  /** scripts of `$(…)`, `<(…)` and backticks */
  readonly nested: readonly string[];
  /** the script without quoted text, substitutions and comments */
  readonly bare: string;
}

interface Frame {
  readonly end: ")" | "}" | null;
  readonly pipelines: Pipeline[];
  stages: Stage[];
  words: string[];
  group: readonly Pipeline[] | null;
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "time", "!"]);
const mostFrames = 12;

/** Cuts a script into words the way a shell does where it matters here: quotes, separators, groups, substitutions. */
export class ShellReader {
  readonly #text: string;
  readonly #nested: string[] = [];
  readonly #frames: Frame[] = [newFrame(null)];
  #word: string | null = null;
  #toFile = false;
  #bare = "";
  #at = 0;

  constructor(script: string) {
    this.#text = script;
  }

  read(): ShellText {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    this.#endWord();
    while (this.#frames.length > 1) this.#leave();
    this.#endPipeline();
    return { pipelines: this.#frame.pipelines, nested: this.#nested, bare: this.#bare };
  }

  get #frame(): Frame {
    return this.#frames.at(-1) ?? newFrame(null);
  }

  #step(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (char === "'") this.#singleQuoted();
    else if (char === '"') this.#doubleQuoted();
    else if (char === "$" && (next === "'" || next === '"')) this.#at += 1;
    else if (char === "`" || ("$<>".includes(char) && next === "(")) this.#substitution();
    else if (char === "#" && this.#word === null) this.#at = this.#indexOf("\n", this.#at);
    else this.#plain(char, next);
  }

  #plain(char: string, next: string): void {
    const from = this.#at;
    if (char === "\\" && next === "\n") this.#at += 2;
    else if (char === "\\") this.#add(next, 2);
    else if (char === ">" || char === "<") this.#redirection();
    else if (char === "&" && next === ">") this.#pass(1, () => this.#endWord());
    else if (char === "|" && next !== "|") this.#pass(next === "&" ? 2 : 1, () => this.#endCommand());
    else if (char === "(") this.#pass(1, () => this.#opened());
    else if (char === ")") this.#pass(1, () => this.#closed());
    else if (char === "\n" && this.#isAfterPipe) this.#at += 1;
    else if (";&|\n".includes(char)) this.#pass(1, () => this.#endPipeline());
    else if (/\s/.test(char)) this.#pass(1, () => this.#endWord());
    else this.#add(char, 1);
    this.#bare += this.#text.slice(from, this.#at);
  }

  get #isAfterPipe(): boolean {
    const { stages, words, group } = this.#frame;
    return stages.length > 0 && words.length === 0 && group === null && this.#word === null;
  }

  #singleQuoted(): void {
    const end = this.#indexOf("'", this.#at + 1);
    this.#add(this.#text.slice(this.#at + 1, end), end + 1 - this.#at);
    this.#bare += "'";
  }

  #doubleQuoted(): void {
    this.#add("", 1);
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const char = this.#text[this.#at] ?? "";
      const next = this.#text[this.#at + 1] ?? "";
      if (char === "\\") this.#add(next === "\n" ? "" : next, 2);
      else if (char === "`" || (char === "$" && next === "(")) this.#substitution();
      else this.#add(char, 1);
    }
    this.#at += 1;
    this.#bare += '"';
  }

  /** Keeps the substitution's text in the word, so that a rule can see a download that is handed to a shell. */
  #substitution(): void {
    const backtick = this.#text[this.#at] === "`";
    const start = this.#at + (backtick ? 1 : 2);
    const end = backtick ? this.#indexOf("`", start) : this.#closing(start);
    this.#nested.push(this.#text.slice(start, end));
    this.#add(this.#text.slice(this.#at, end + 1), end + 1 - this.#at);
  }

  #closing(start: number): number {
    let depth = 1;
    for (let at = start; at < this.#text.length; at += 1) {
      const char = this.#text[at];
      if (char === "\\") at += 1;
      else if (char === "'" || char === '"') at = this.#indexOf(char, at + 1);
      else if (char === "(") depth += 1;
      else if (char === ")") depth -= 1;
      if (depth === 0) return at;
    }
    return this.#text.length;
  }

  /** Leaves the target of a redirection out of the words, except after `<<<`, where it is the command's input. */
  #redirection(): void {
    if (/^\d+$/.test(this.#word ?? "")) this.#word = null;
    this.#endWord();
    const from = this.#at;
    this.#at += 1;
    while (">&|<".includes(this.#text[this.#at] ?? " ") && this.#text[this.#at + 1] !== "(") this.#at += 1;
    this.#toFile = this.#text.slice(from, this.#at) !== "<<<";
  }

  /** A `(` where a command could start opens a group; `()` makes a function of the word before it. */
  #opened(): void {
    this.#endWord();
    if (this.#text[this.#at] === ")") {
      this.#at += 1;
      this.#frame.words = [];
    } else if (this.#frame.words.every((word) => keywords.has(word))) this.#enter(")");
    else this.#endPipeline();
  }

  /** Without an open group, a `)` ends a pattern of `case` or the list that `x=(` began. */
  #closed(): void {
    this.#endWord();
    if (this.#frame.end === ")") this.#leave();
    else {
      this.#frame.words = [];
      this.#frame.stages = [];
    }
  }

  #enter(end: ")" | "}"): void {
    this.#frame.words = [];
    if (this.#frames.length < mostFrames) this.#frames.push(newFrame(end));
  }

  #leave(): void {
    this.#endPipeline();
    const { pipelines } = this.#frames.pop() ?? newFrame(null);
    this.#frame.group = pipelines;
  }

  #indexOf(char: string, from: number): number {
    const at = this.#text.indexOf(char, from);
    return at === -1 ? this.#text.length : at;
  }

  #add(text: string, taken: number): void {
    this.#word = (this.#word ?? "") + text;
    this.#at += taken;
  }

  #pass(taken: number, end: () => void): void {
    this.#at += taken;
    end();
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = null;
    if (word === null) return;
    const isTarget = this.#toFile && !word.startsWith("<(");
    this.#toFile = false;
    if (isTarget) return;
    const { words, end } = this.#frame;
    if (word === "{" && startsBody(words)) this.#enter("}");
    else if (word === "}" && words.length === 0 && end === "}") this.#leave();
    else words.push(word);
  }

  #endCommand(): void {
    this.#endWord();
    const frame = this.#frame;
    if (frame.group !== null) frame.stages.push({ group: frame.group });
    if (frame.words.length > 0) frame.stages.push({ words: frame.words });
    frame.words = [];
    frame.group = null;
    this.#toFile = false;
  }

  #endPipeline(): void {
    this.#endCommand();
    if (this.#frame.stages.length > 0) this.#frame.pipelines.push(this.#frame.stages);
    this.#frame.stages = [];
  }
}

function newFrame(end: Frame["end"]): Frame {
  return { end, pipelines: [], stages: [], words: [], group: null };
}

function startsBody(words: readonly string[]): boolean {
  return words.every((word) => keywords.has(word)) || (words[0] === "function" && words.length === 2);
}
