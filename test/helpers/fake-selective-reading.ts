import { posix } from "node:path";
import type {
  FileRead,
  FileRequest,
  GlobRequest,
  GlobResult,
  GrepRequest,
  GrepResult,
  SelectiveAnswer,
  SelectiveReading,
  Withholding,
} from "../../runner/hands/ports/reading.js";

const emptyFile: FileRead = { content: Buffer.of(), size: 0, firstLine: 0, lastLine: 0, truncated: false };

/** A source in memory. A value that starts with `->` is a link to another path. */
export class FakeSelectiveReading implements SelectiveReading {
  constructor(private readonly files: Readonly<Record<string, string>>) {}

  async readFile(
    { path, offset = 1, limit, maxBytes }: FileRequest,
    withhold: Withholding,
    _signal?: AbortSignal,
  ): Promise<SelectiveAnswer<FileRead>> {
    const names = this.namesOf(posix.normalize(path.replace(/^\/workspace\//, "")));
    const text = this.files[names.at(-1) ?? ""];
    if (text === undefined) return { answer: { ok: false, problem: `${path}: no such file.` }, withheld: of([]) };
    const withheld = names.filter((name) => isWithheld(name, withhold));
    if (withheld.length > 0) return { answer: { ok: true, ...emptyFile }, withheld: of(withheld) };
    const lines = text.split(/(?<=\n)/);
    if (offset > lines.length) {
      const problem = `${path}: offset ${offset} is past the end; the file has ${lines.length} lines.`;
      return { answer: { ok: false, problem }, withheld: of([]) };
    }
    const shown = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
    const whole = Buffer.from(shown.join(""));
    const lastLine = offset - 1 + shown.length;
    const truncated = whole.length > maxBytes || lastLine < lines.length;
    const content = whole.subarray(0, maxBytes);
    const read = { content, size: text.length, firstLine: offset, lastLine, truncated };
    return { answer: { ok: true, ...read }, withheld: of([]) };
  }

  async glob({ pattern, limit }: GlobRequest, withhold: Withholding): Promise<SelectiveAnswer<GlobResult>> {
    const { kept, left } = this.split(pattern, withhold);
    const truncated = kept.length > limit;
    return { answer: { ok: true, paths: kept.slice(0, limit), truncated }, withheld: of(left) };
  }

  async grep({ pattern, pathGlob, limit }: GrepRequest, withhold: Withholding): Promise<SelectiveAnswer<GrepResult>> {
    const { kept, left } = this.split(pathGlob ?? "**", withhold);
    const all = kept.flatMap((path) =>
      (this.files[path] ?? "")
        .split("\n")
        .flatMap((line, index) => (new RegExp(pattern).test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
    );
    return {
      answer: { ok: true, lines: all.slice(0, limit), truncated: all.length > limit },
      withheld: of(left),
    };
  }

  private namesOf(path: string): string[] {
    const target = /^->(.*)$/.exec(this.files[path] ?? "")?.[1];
    return target === undefined ? [path] : [path, ...this.namesOf(target)];
  }

  private split(pattern: string, withhold: Withholding) {
    const source = pattern.replace(/[.]/g, "\\.").replace(/\*\*\/?|\*/g, (part) => (part === "*" ? "[^/]*" : ".*"));
    const matching = Object.keys(this.files).filter((path) => new RegExp(`^${source}$`).test(path));
    const left = matching.filter((path) => isWithheld(path, withhold));
    return { kept: matching.filter((path) => !left.includes(path)).sort(), left };
  }
}

function isWithheld(path: string, { like, shown }: Withholding): boolean {
  return new RegExp(like, "i").test(path) && !shown.includes(path);
}

function of(paths: readonly string[]) {
  return { paths: [...paths].sort(), count: paths.length };
}
