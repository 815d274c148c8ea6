import { z } from "zod";
import { TilthError } from "../../runner/base/errors.js";
import { readRegular, sayRefusal } from "../../runner/disk/read-regular.js";
import { shellWord } from "../../runner/source/git/shell-word.js";

const biggest = 256 * 1024;
const listSchema = z.array(z.union([z.string(), z.number()]));

/**
 * Reads the answers in a file: a JSON list, or one per line; a blank line between others means no answer. TilthError
 * `usage` if the file cannot be read, or if one answer is refused: the error names its place and does not repeat it.
 */
export function readAnswers(path: string, refuses: (answer: string) => boolean): readonly string[] {
  const text = contentOf(path);
  const listed = text.trimStart().startsWith("[");
  const answers = listed ? fromJson(text, path) : fromLines(text);
  const at = answers.findIndex(refuses);
  if (at < 0) return answers;
  throw new TilthError(
    "usage",
    `${listed ? "answer" : "line"} ${at + 1} of ${shellWord(path)} looks like a key or a password; none is sent to a model`,
    "remove it from the file, and from every other place where it can be read",
  );
}

function contentOf(path: string): string {
  const file = readRegular(path, biggest);
  const hint = `give a text file of at most ${biggest / 1024} KB`;
  if (!file.ok) throw new TilthError("usage", `the file of answers ${shellWord(path)} ${sayRefusal(file)}`, hint);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file.content);
  } catch (error) {
    throw new TilthError("usage", `the file of answers ${shellWord(path)} is not UTF-8`, hint, error);
  }
}

function fromJson(text: string, path: string): readonly string[] {
  try {
    return listSchema.parse(JSON.parse(text)).map((answer) => String(answer).trim());
  } catch (error) {
    throw new TilthError(
      "usage",
      `the file of answers ${shellWord(path)} begins with [ but is not a JSON list of texts and numbers`,
      "correct the list, or write one answer per line",
      error,
    );
  }
}

function fromLines(text: string): readonly string[] {
  const lines = text.trimEnd().split(/\r\n|\r|\n/);
  return lines.length === 1 && lines[0] === "" ? [] : lines.map((line) => line.trim());
}
