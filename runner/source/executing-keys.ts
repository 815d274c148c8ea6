/**
 * Config keys whose value git runs as a command in the course of ordinary work: on a checkout, a status, a diff or a ref
 * move. Names as git prints them, section and last part in lower case. Not here is what acts only in things tilth never
 * does (fetch, push, credentials, editor, pager, mail, merge), and what every host git is told to leave off
 * (`core.fsmonitor`, `core.hooksPath`, `gpg.*`, `trailer.*`, `tar.*`).
 */
const executing: readonly RegExp[] = [
  /^filter\..*\.(clean|smudge|process)$/s,
  /^diff\.external$/,
  /^diff\..*\.(command|textconv)$/s,
  /^core\.alternaterefscommand$/,
  /^hook\..*\.command$/s,
];

export function executes(key: string): boolean {
  return executing.some((pattern) => pattern.test(key));
}

/** What makes git pass over such a key. */
export function withoutEffect(key: string): readonly (readonly [string, string])[] {
  const filter = /^(filter\..*)\.(clean|smudge|process)$/s.exec(key);
  if (filter !== null)
    return [
      [key, ""],
      [`${filter[1]}.required`, "false"],
    ];
  const hook = /^(hook\..*)\.command$/s.exec(key);
  if (hook !== null)
    return [
      [key, ""],
      [`${hook[1]}.enabled`, "false"],
    ];
  return [[key, ""]];
}
