export interface IndexGatewayLimits {
  /** connections from the container that are open at a time; further ones are closed */
  readonly connections: number;
  /** requests answered at a time; further ones wait */
  readonly atOnce: number;
  readonly pageBytes: number;
  /** for all pages together, because they are kept */
  readonly pagesBytes: number;
  /** files that one page may link to */
  readonly pageFiles: number;
  /** files that all pages may link to, because they are remembered */
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

/** The outcome of one request to an index, or to a host that its pages link to. */
export interface FetchRecord {
  readonly host: string;
  /** the project of a page, or the name of a file */
  readonly what: string;
  readonly bytes: number;
  /** a sentence when it was refused, else null */
  readonly refusal: string | null;
}
