export interface ShellText {
  /** commands that feed one another, each as its words */
  readonly pipelines: readonly (readonly (readonly string[])[])[];
  /** scripts of `$(…)`, `<(…)` and backticks */
  readonly nested: readonly string[];
}

/** Cuts a script into words the way a shell does where it matters here: quotes, separators, comments, substitutions. */
export class ShellReader {
  readonly #text: string;
  readonly #nested: string[] = [];
  readonly #pipelines: string[][][] = [];
  #pipeline: string[][] = [];
  #words: string[] = [];
  #word: string | null = null;
  #at = 0;

  constructor(script: string) {
    this.#text = withoutHereDocuments(script);
  }

  read(): ShellText {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    this.#endPipeline();
    return { pipelines: this.#pipelines, nested: this.#nested };
  }

  #step(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (char === "\\") this.#add(next === "\n" ? "" : next, 2);
    else if (char === "'") this.#singleQuoted();
    else if (char === '"') this.#doubleQuoted();
    else if (char === "`" || ((char === "$" || char === "<") && next === "(")) this.#substitution();
    else if (char === "#" && this.#word === null) this.#at = this.#indexOf("\n", this.#at);
    else if (char === ">" || char === "<") this.#redirection();
    else if (char === "&" && next === ">") this.#pass(1, () => this.#endWord());
    else if (char === "|" && next !== "|") this.#pass(next === "&" ? 2 : 1, () => this.#endCommand());
    else if (";&|()\n".includes(char)) this.#pass(1, () => this.#endPipeline());
    else if (/\s/.test(char)) this.#pass(1, () => this.#endWord());
    else this.#add(char, 1);
  }

  #singleQuoted(): void {
    const end = this.#indexOf("'", this.#at + 1);
    this.#add(this.#text.slice(this.#at + 1, end), end + 1 - this.#at);
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
  }

  /** Its text stays in the word, so that a rule can see a download that is handed to a shell. */
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
      if (this.#text[at] === "(") depth += 1;
      if (this.#text[at] === ")") depth -= 1;
      if (depth === 0) return at;
    }
    return this.#text.length;
  }

  #redirection(): void {
    this.#endWord();
    this.#at += 1;
    while (">&|<".includes(this.#text[this.#at] ?? " ")) this.#at += 1;
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
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#pipeline.push(this.#words);
    this.#words = [];
  }

  #endPipeline(): void {
    this.#endCommand();
    if (this.#pipeline.length > 0) this.#pipelines.push(this.#pipeline);
    this.#pipeline = [];
  }
}

const hereDocument = /(?<!<)<<-?[ \t]{0,8}(["']?)([A-Za-z_]\w{0,63})\1/;

/** Text that is only written somewhere is no command: a README may speak of `sudo`. */
function withoutHereDocuments(script: string): string {
  const kept: string[] = [];
  let until: string | null = null;
  for (const line of script.split("\n")) {
    if (until === null) {
      kept.push(line);
      until = hereDocument.exec(line)?.[2] ?? null;
    } else if (line.trim() === until) until = null;
  }
  return kept.join("\n");
}
