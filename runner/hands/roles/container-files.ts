import { askResident, type ResidentReply } from "../pipe/ask.js";
import { globReply, grepReply, readReply } from "../pipe/replies.js";
import type {
  FileRead,
  FileRequest,
  GlobRequest,
  GlobResult,
  GrepRequest,
  GrepResult,
  SelectiveReading,
  Withheld,
  Withholding,
} from "../ports/reading.js";
import type { Sandbox } from "../ports/sandbox.js";
import { skippedFolders } from "./ignored-names.js";

/** Time limit of an operation on files. */
export const fileWorkMs = 60_000;

type OrNothing = Withholding | null;
type SelectedFile<T> = { readonly ok: true; readonly withheld: Withheld } & T;

/** Reading for every container with a workspace; with nothing to withhold, all of it can be read. */
export class ContainerFiles implements SelectiveReading {
  constructor(private readonly container: () => Sandbox) {}

  async readFile(request: FileRequest, withhold: OrNothing, signal: AbortSignal) {
    const { maxBytes, ...where } = request;
    const said = await this.ask("read", { ...where, max_bytes: maxBytes, withhold }, signal);
    return selected<FileRead>(said, ({ result, data }) => {
      const { size, first_line, last_line, truncated, withheld } = readReply.parse(result);
      return { ok: true, content: data, size, firstLine: first_line, lastLine: last_line, truncated, withheld };
    });
  }

  async glob(request: GlobRequest, withhold: OrNothing, signal: AbortSignal) {
    const said = await this.ask("glob", { ...request, skip: skippedFolders, withhold }, signal);
    return selected<GlobResult>(said, ({ result }) => ({ ok: true, ...globReply.parse(result) }));
  }

  async grep({ pattern, pathGlob, limit }: GrepRequest, withhold: OrNothing, signal: AbortSignal) {
    const args = { pattern, path_glob: pathGlob, limit, skip: skippedFolders, withhold };
    const said = await this.ask("grep", args, signal);
    return selected<GrepResult>(said, ({ result }) => ({ ok: true, ...grepReply.parse(result) }));
  }

  private ask(op: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ResidentReply> {
    return askResident(this.container(), { ...args, op }, { signal, timeoutMs: fileWorkMs });
  }
}

function selected<T>(said: ResidentReply, read: (said: Extract<ResidentReply, { ok: true }>) => SelectedFile<T>) {
  if (!said.ok) return { answer: said, withheld: { paths: [], count: 0 } };
  const { withheld, ...answer } = read(said);
  return { answer, withheld };
}
