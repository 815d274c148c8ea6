/** The contents of a project's environment as shown to a model. */
export interface EnvironmentShown {
  readonly python: string;
  readonly pytest: string;
  readonly packages: readonly (readonly [name: string, version: string])[];
  /** the file it was made from */
  readonly file: string;
}

const shownPackages = 200;

/** Lists names with versions, as many as can be shown. */
export function packagesText(packages: EnvironmentShown["packages"]): string {
  const shown = packages.slice(0, shownPackages).map(([name, version]) => `${name} ${version}`);
  const more = packages.length - shown.length;
  if (shown.length === 0) return "none";
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
