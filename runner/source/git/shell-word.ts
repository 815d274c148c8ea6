/** Quotes a path so that a person can paste it into a shell. */
export function shellWord(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
