/** A tool's answer: what it found, or the sentence that says why it could not. */
export type Answer<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: string };

/** What can be looked at. Nothing is followed out of the root, and only regular files are opened. */
export interface Reading {
  readFile(request: FileRequest, signal: AbortSignal): Promise<Answer<FileRead>>;
  /** Paths relative to the root, sorted; dependency and cache folders and `.git` skipped. */
  glob(request: GlobRequest, signal: AbortSignal): Promise<Answer<Globbed>>;
  /** `path:line: text` lines, sorted by path; hidden files in, ignore files not obeyed, folders skipped as by glob. */
  grep(request: GrepRequest, signal: AbortSignal): Promise<Answer<Grepped>>;
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

export interface Globbed {
  readonly paths: readonly string[];
  readonly truncated: boolean;
  /** what else the model should know of the answer */
  readonly remark?: string;
}

export interface GrepRequest {
  readonly pattern: string;
  readonly pathGlob: string | null;
  readonly limit: number;
}

export interface Grepped {
  readonly lines: readonly string[];
  readonly truncated: boolean;
  /** what else the model should know of the answer */
  readonly remark?: string;
}

/** Reading that leaves files out: nothing of what it gives, `truncated` included, depends on what is in them. */
export interface SelectiveReading {
  readFile(request: FileRequest, withhold: Withholding, signal: AbortSignal): Promise<Selected<FileRead>>;
  glob(request: GlobRequest, withhold: Withholding, signal: AbortSignal): Promise<Selected<Globbed>>;
  grep(request: GrepRequest, withhold: Withholding, signal: AbortSignal): Promise<Selected<Grepped>>;
}

export interface Withholding {
  /** a regular expression that JavaScript and Python read alike; it finds the paths that are left out, in any case */
  readonly like: string;
  /** paths that are not left out though it finds them */
  readonly shown: readonly string[];
}

export interface Selected<T> {
  /** of a file that is withheld: that there is no such answer */
  readonly answer: Answer<T>;
  /**
   * Files in the scope of what was asked that were left out: for grep, whether they match or not; for a file, every name
   * it goes by, those of links that led to it included.
   */
  readonly withheld: Withheld;
}

export interface Withheld {
  /** sorted; the first of them where there are many */
  readonly paths: readonly string[];
  readonly count: number;
}
