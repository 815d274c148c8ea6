/** The person's own places on the host. */
export interface HostPlaces {
  readonly userHome: string;
  /** the search path, used to find git once */
  readonly path: string;
  readonly xdgConfigHome: string | null;
  /** for downloads that may be thrown away */
  readonly cacheDir: string;
}
