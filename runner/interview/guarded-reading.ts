import type {
  Answer,
  FileRead,
  FileRequest,
  GlobRequest,
  GlobResult,
  GrepRequest,
  GrepResult,
  Reading,
  SelectiveAnswer,
  SelectiveReading,
  Withheld,
  Withholding,
} from "../hands/ports/reading.js";
import { oneLine } from "../text/sanitise.js";
import { secretFiles } from "./secrets.js";

/** asks the person tilth's own question; false if nobody can be asked */
export type Permit = (question: string, signal: AbortSignal) => Promise<boolean>;

const namesShown = 10;
const nameCharacters = 80;
/** "a, b and c"; the formatter is made on each use, because loading its data takes longer than most commands */
const listed = (names: readonly string[]) => new Intl.ListFormat("en-GB").format(names);

/**
 * Reading for a model whose provider sees every answer: files that look like secrets are left out until the person says
 * yes. Each file is asked about once, whatever the answer.
 */
export class GuardedReading implements Reading {
  readonly #permitted = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(
    private readonly reading: SelectiveReading,
    private readonly permit: Permit,
  ) {}

  async readFile(request: FileRequest, signal: AbortSignal): Promise<Answer<FileRead>> {
    const { answer, withheld } = await this.#allowed((but) => this.reading.readFile(request, but, signal), signal);
    if (withheld.count === 0) return answer;
    return { ok: false, problem: `${named(withheld)}: looks like a secret, and the person did not allow reading it.` };
  }

  async glob(request: GlobRequest, signal: AbortSignal): Promise<Answer<GlobResult>> {
    return remarked(await this.#allowed((but) => this.reading.glob(request, but, signal), signal));
  }

  async grep(request: GrepRequest, signal: AbortSignal): Promise<Answer<GrepResult>> {
    return remarked(await this.#allowed((but) => this.reading.grep(request, but, signal), signal));
  }

  /** Asks about files that were withheld and not asked about before, and looks again after a yes. */
  async #allowed<T>(
    look: (but: Withholding) => Promise<SelectiveAnswer<T>>,
    signal: AbortSignal,
  ): Promise<SelectiveAnswer<T>> {
    const found = await look(this.#withholding());
    if (!(await this.#mayMore(found.withheld, signal))) return found;
    return look(this.#withholding());
  }

  #withholding(): Withholding {
    return { like: secretFiles, shown: [...this.#permitted] };
  }

  /** A yes covers the files that were named; a no covers every withheld file found. */
  async #mayMore({ paths, count }: Withheld, signal: AbortSignal): Promise<boolean> {
    const open = paths.filter((path) => !this.#refused.has(path));
    if (open.length === 0) return false;
    const asked = open.slice(0, namesShown);
    const may = await this.permit(questionAbout(asked, count - (paths.length - open.length) - asked.length), signal);
    if (may) for (const path of asked) this.#permitted.add(path);
    else for (const path of open) this.#refused.add(path);
    return may;
  }
}

function questionAbout(paths: readonly string[], others: number): string {
  const they = paths.length === 1 ? "It looks like a secret" : "They look like secrets";
  const rest =
    others === 0 ? "" : ` ${others} more like ${paths.length === 1 ? "it" : "them"} are left out either way.`;
  const names = named({ paths, count: paths.length });
  return `May the model read ${names}? ${they}, and what the model reads is sent to its provider.${rest}`;
}

function named({ paths, count }: Withheld): string {
  const names = paths.slice(0, namesShown).map(shown);
  const more = count - names.length;
  return listed(more > 0 ? [...names, `${more} more`] : names);
}

/** A long path is cut at the start, because its end says what the file is. */
function shown(path: string): string {
  const line = oneLine(path, path.length);
  return JSON.stringify(line.length > nameCharacters ? `…${line.slice(-nameCharacters)}` : line);
}

/** Says how many files were left out, never their content. */
function remarked<T extends GlobResult | GrepResult>({ answer, withheld: { count } }: SelectiveAnswer<T>): Answer<T> {
  if (!answer.ok || count === 0) return answer;
  const files = count === 1 ? "1 file that looks like a secret was" : `${count} files that look like secrets were`;
  return { ...answer, remark: `${files} left out: the person did not allow reading ${count === 1 ? "it" : "them"}` };
}
