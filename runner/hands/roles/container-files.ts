import { askResident, type ResidentAnswer } from "../pipe/ask.js";
import type { Operation } from "../pipe/perform.js";
import { operations } from "../pipe/wire/operations.js";
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
    const { path, offset = null, limit = null, maxBytes } = request;
    const args = { path, offset, limit, max_bytes: maxBytes, withhold };
    const said = await this.ask(operations.read, args, signal);
    return selected(said, ({ first_line, last_line, ...reply }, content): SelectedFile<FileRead> => {
      return { ok: true, content, firstLine: first_line, lastLine: last_line, ...reply };
    });
  }

  async glob(request: GlobRequest, withhold: OrNothing, signal: AbortSignal) {
    const { pattern, limit } = request;
    const said = await this.ask(operations.glob, { pattern, limit, skip: skippedFolders, withhold }, signal);
    return selected(said, (reply): SelectedFile<GlobResult> => ({ ok: true, ...reply }));
  }

  async grep({ pattern, pathGlob, limit }: GrepRequest, withhold: OrNothing, signal: AbortSignal) {
    const args = { pattern, path_glob: pathGlob, limit, skip: skippedFolders, withhold };
    const said = await this.ask(operations.grep, args, signal);
    return selected(said, (reply): SelectedFile<GrepResult> => ({ ok: true, ...reply }));
  }

  private ask<Args extends Readonly<Record<string, unknown>>, Reply>(
    operation: Operation<Args, Reply>,
    args: NoInfer<Args>,
    signal: AbortSignal,
  ): Promise<ResidentAnswer<Reply>> {
    return askResident(this.container(), operation, args, { signal, timeoutMs: fileWorkMs });
  }
}

function selected<Reply, T>(said: ResidentAnswer<Reply>, read: (reply: Reply, data: Buffer) => SelectedFile<T>) {
  if (!said.ok) return { answer: said, withheld: { paths: [], count: 0 } };
  const { withheld, ...answer } = read(said.reply, said.data);
  return { answer, withheld };
}
