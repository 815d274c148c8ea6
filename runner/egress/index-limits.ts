export interface IndexGatewayLimits {
  /** from the container, open at a time; those beyond are closed */
  readonly connections: number;
  /** being answered; the next ones wait */
  readonly atOnce: number;
  readonly pageBytes: number;
  /** of all pages together: they are kept */
  readonly pagesBytes: number;
  /** that one page may link to */
  readonly pageFiles: number;
  /** that all pages may link to: they are remembered */
  readonly allFiles: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly idleMs: number;
  readonly connectMs: number;
}

export const indexGatewayLimits: IndexGatewayLimits = {
  connections: 256,
  atOnce: 64,
  pageBytes: 64 * 1024 ** 2,
  pagesBytes: 256 * 1024 ** 2,
  pageFiles: 100_000,
  allFiles: 1_000_000,
  fileBytes: 2 * 1024 ** 3,
  totalBytes: 8 * 1024 ** 3,
  idleMs: 60_000,
  connectMs: 20_000,
};

/** What came of one request to an index, or to a host that its pages link to. */
export interface FetchRecord {
  readonly host: string;
  /** the project of a page, or the name of a file */
  readonly what: string;
  readonly bytes: number;
  /** a sentence where it was not had */
  readonly refusal: string | null;
}
