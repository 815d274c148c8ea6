/** A tool's answer: its result, or the sentence that says why there is none. */
export type Answer<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: string };

/** Read access to files. Nothing is followed out of the root, and only regular files are opened. */
export interface Reading {
  readFile(request: FileRequest, signal: AbortSignal): Promise<Answer<FileRead>>;
  /** Paths relative to the root, sorted; dependency and cache folders and `.git` are skipped. */
  glob(request: GlobRequest, signal: AbortSignal): Promise<Answer<GlobResult>>;
  /** `path:line: text` lines, sorted by path; hidden files in, ignore files not obeyed, folders skipped as by glob. */
  grep(request: GrepRequest, signal: AbortSignal): Promise<Answer<GrepResult>>;
}

export interface FileRequest {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly maxBytes: number;
}

export interface FileRead {
  readonly content: Uint8Array;
  readonly size: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly truncated: boolean;
}

export interface GlobRequest {
  readonly pattern: string;
  readonly limit: number;
}

export interface GlobResult {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** a remark on the answer for the model */
  readonly remark?: string;
}

export interface GrepRequest {
  readonly pattern: string;
  readonly pathGlob: string | null;
  readonly limit: number;
}

export interface GrepResult {
  readonly lines: readonly string[];
  readonly truncated: boolean;
  /** a remark on the answer for the model */
  readonly remark?: string;
}

/** Reading that leaves files out: no part of an answer, `truncated` included, depends on their contents. */
export interface SelectiveReading {
  readFile(request: FileRequest, withhold: Withholding, signal: AbortSignal): Promise<SelectiveAnswer<FileRead>>;
  glob(request: GlobRequest, withhold: Withholding, signal: AbortSignal): Promise<SelectiveAnswer<GlobResult>>;
  grep(request: GrepRequest, withhold: Withholding, signal: AbortSignal): Promise<SelectiveAnswer<GrepResult>>;
}

export interface Withholding {
  /** a regular expression that JavaScript and Python read alike; it matches the paths to leave out, in any case */
  readonly like: string;
  /** paths that it matches and that are shown all the same */
  readonly shown: readonly string[];
}

export interface SelectiveAnswer<T> {
  /** for a withheld file the answer is that of an empty one */
  readonly answer: Answer<T>;
  /**
   * Left out files within the scope of the request: for grep, whether they match or not; for a file, all its names,
   * including those of links that led to it.
   */
  readonly withheld: Withheld;
}

export interface Withheld {
  /** sorted; only the first of them when there are many */
  readonly paths: readonly string[];
  readonly count: number;
}
