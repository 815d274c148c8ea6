/**
 * Config keys with a value that git runs as a command during ordinary work: on a checkout, a status, a diff or a ref
 * move. Names are as git prints them, section and last part in lower case. Left out are keys that act only in things
 * tilth never does (fetch, push, credentials, editor, pager, mail, merge), and keys that every host git is told to
 * ignore (`core.fsmonitor`, `core.hooksPath`, `gpg.*`, `trailer.*`, `tar.*`).
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

/** Returns settings that make git ignore such a key. */
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
