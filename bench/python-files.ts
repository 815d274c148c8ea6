import type { Files } from "../test/helpers/sources.js";

const linesEach = 40;
const perFolder = 20;

/** A word that stands in every fiftieth file, once. */
export const rareWord = "needle_in_the_haystack";

/** `count` modules in folders of twenty, each of some forty lines; no finding of ruff in them. */
export function pythonFiles(count: number): Files {
  const files: Record<string, string> = { "README.md": "A repository to measure with.\n" };
  for (let at = 0; at < count - 1; at += 1) {
    const folder = `pkg/part_${Math.floor(at / perFolder)}`;
    files[`${folder}/module_${at}.py`] = moduleOf(at);
  }
  return files;
}

export function moduleOf(at: number): string {
  const lines = [`"""Module ${at}."""`, "", at % 50 === 0 ? `${rareWord} = ${at}` : `other = ${at}`, ""];
  for (let line = 0; lines.length < linesEach; line += 1) {
    lines.push(`value_${line} = ${(at * 31 + line * 17) % 1000}  # a line of some length, as code has them`);
  }
  return `${lines.join("\n")}\n`;
}

/** A module of `bytes` bytes or a little more, with a line to edit in its middle. */
export function longModule(bytes: number): string {
  const line = (at: number) => `value_${at} = ${at % 1000}  # a line of some length, as code has them\n`;
  const lines: string[] = [];
  for (let at = 0, size = 0; size < bytes; at += 1) size += lines[lines.push(line(at)) - 1]?.length ?? 0;
  lines.splice(lines.length / 2, 0, "marked = 0\n");
  return lines.join("");
}
