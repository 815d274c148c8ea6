/** Code points that HFS+ leaves out when it compares names, as UTF-8 bytes in latin1. */
const unseenByHfs = new RegExp(
  ["\u200c-\u200f", "\u202a-\u202e", "\u206a-\u206f", "\ufeff"]
    .flatMap((range) => expand(range))
    .map((point) => Buffer.from(point).toString("latin1"))
    .join("|"),
  "g",
);

/**
 * Tells whether some file system would take this path component (bytes as latin1) for `.git`: in any case, with
 * characters that HFS+ ignores, or by the rules of NTFS (trailing dots and spaces, streams, the short name).
 */
export function isGitName(component: string): boolean {
  return component.split("\\").some((part) => {
    const name = part.replace(unseenByHfs, "").toLowerCase();
    const ntfs = name.split(":")[0]?.replace(/[ .]+$/, "");
    return name === ".git" || ntfs === ".git" || ntfs === "git~1";
  });
}

function expand(range: string): string[] {
  const [first = 0, last = first] = [range.codePointAt(0), range.codePointAt(2)];
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
}
