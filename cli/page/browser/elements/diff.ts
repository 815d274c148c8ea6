type LineKind = "add" | "del" | "hunk" | "file" | "same";
export interface DiffLine {
  readonly kind: LineKind;
  readonly text: string;
}

const begins = /^diff --git /;
const header =
  /^(index |old mode |new mode |new file |deleted file |similarity |dissimilarity |rename |copy |Binary files |GIT binary|--- |\+\+\+ )/;
const inside = /^([ +\-\\@]|$)/;
const mostCompared = 400_000;

/** Splits a text into stretches of unified diff and of anything else. */
export function stretches(lines: readonly string[]): readonly { readonly diff: boolean; readonly lines: string[] }[] {
  const found: { diff: boolean; lines: string[] }[] = [];
  let diff = false;
  for (const line of lines) {
    diff = begins.test(line) || (diff && (header.test(line) || inside.test(line)));
    const last = found.at(-1);
    if (last?.diff === diff) last.lines.push(line);
    else found.push({ diff, lines: [line] });
  }
  return found;
}

export function diffLine(text: string): DiffLine {
  if (begins.test(text) || header.test(text)) return { kind: "file", text };
  if (text.startsWith("@@")) return { kind: "hunk", text };
  if (text.startsWith("+")) return { kind: "add", text };
  return { kind: text.startsWith("-") ? "del" : "same", text };
}

/** Compares two texts line by line and keeps the unchanged lines around each change. */
export function changed(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before, after].map((text) => text.replace(/\n$/, "").split("\n")) as [string[], string[]];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...old.slice(0, start).map(same),
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

export function added(text: string): readonly DiffLine[] {
  return text.replace(/\n$/, "").split("\n").map(add);
}

const same = (text: string): DiffLine => ({ kind: "same", text: ` ${text}` });
const add = (text: string): DiffLine => ({ kind: "add", text: `+${text}` });
const del = (text: string): DiffLine => ({ kind: "del", text: `-${text}` });

/** Compares by the longest common subsequence, unless that would take long. */
function between(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length * now.length > mostCompared) return [...old.map(del), ...now.map(add)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push(same(old[i] ?? ""));
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(del(old[i++] ?? ""));
    else lines.push(add(now[j++] ?? ""));
  }
  return [...lines, ...old.slice(i).map(del), ...now.slice(j).map(add)];
}
