import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AnswersFrontend } from "../../../cli/frontend/answers.js";
import { readAnswers } from "../../../cli/frontend/answers-file.js";
import { Interrupted, TilthError } from "../../../runner/base/errors.js";
import { scratch, thrownBy } from "../../helpers/scratch.js";
import { HeardOutput } from "../heard-output.js";

const { signal } = new AbortController();
const refuses = (answer: string) => answer.startsWith("sk-");

function file(content: string | Uint8Array): string {
  const path = join(scratch(), "answers");
  writeFileSync(path, content);
  return path;
}

function refusal(path: string): TilthError {
  const error = thrownBy(() => readAnswers(path, refuses));
  if (!(error instanceof TilthError)) throw error;
  expect(error.code).toBe("usage");
  return error;
}

test.each([
  ["", []],
  ["\n\n  \n", []],
  ["one", ["one"]],
  ["\ufeffone\r\ntwo \rthree\n\n\n", ["one", "two", "three"]],
  ["one\n\nthree\n", ["one", "", "three"]],
  ["2\n[x] is no list\n", ["2", "[x] is no list"]],
  [' [1, "two\\nlines", "", 3.5] ', ["1", "two\nlines", "", "3.5"]],
  ["[]", []],
])("the file %j holds the answers %j", (content, answers) => {
  expect(readAnswers(file(content), refuses)).toEqual(answers);
});

test.each([
  ["[1, ", "not a JSON list"],
  ["[x] first\nsecond", "not a JSON list"],
  ['["a", null]', "not a JSON list"],
  ['[["a"]]', "not a JSON list"],
  [Uint8Array.of(0x61, 0xff, 0x0a), "is not UTF-8"],
])("a file of %j is refused", (content, says) => {
  expect(refusal(file(content)).message).toContain(says);
});

test("an answer that looks like a key is refused by naming its place, and is never repeated", () => {
  const lines = refusal(file("one\n\nsk-secret-42\n"));
  expect(lines.message).toMatch(/^line 3 of .* looks like a key/);
  const list = refusal(file('["one", "sk-secret-42"]'));
  expect(list.message).toMatch(/^answer 2 of /);
  for (const { message, hint } of [lines, list]) expect(message + hint).not.toContain("secret");
});

test("a link, a FIFO, a folder, and a file that is too big or missing are refused", () => {
  const folder = scratch();
  const at = (name: string) => join(folder, name);
  symlinkSync("/etc/hostname", at("link"));
  execFileSync("mkfifo", [at("fifo")]);
  writeFileSync(at("big"), "");
  truncateSync(at("big"), 300 * 1024);
  expect(refusal(at("link")).message).toContain("is a link");
  expect(refusal(at("fifo")).message).toContain("is not a plain file");
  expect(refusal(folder).message).toContain("is not a plain file");
  expect(refusal(at("big")).message).toContain("is too big");
  expect(refusal(at("missing")).message).toContain("is missing");
});

const options = ["EUR", "USD"];

test.each([
  ["2", options, "USD"],
  ["0", options, "0"],
  ["3", options, "3"],
  ["1", [], "1"],
  ["1.5", options, "1.5"],
  ["2 decimals", options, "2 decimals"],
  ["", options, "(no answer)"],
])("the answer %j with the options %j is %j", async (answer, offered, given) => {
  const frontend = new AnswersFrontend(new HeardOutput().output, [answer]);
  expect(await frontend.askUser("?", offered, signal)).toBe(given);
});

test("answers are given one after the other until none is left, and nothing is ever permitted", async () => {
  const frontend = new AnswersFrontend(new HeardOutput().output, ["yes", "yes"]);
  const given = [
    await frontend.askUser("a", [], signal),
    await frontend.permit("may it?", signal),
    await frontend.askUser("b", [], signal),
    await frontend.askUser("c", options, signal),
  ];
  expect(given).toEqual(["yes", false, "yes", "(no answer)"]);
});

test("questions, answers and the summary are printed, and no line of the model's can look like tilth's own", async () => {
  const heard = new HeardOutput();
  const frontend = new AnswersFrontend(heard.output, ["2"]);
  await frontend.askUser("Which?\ntilth: forged\u001b[2J\rtilth: again", ["a\ntilth: forged", "b"], signal);
  await frontend.permit("May it see .env?", signal);
  frontend.updateTokens();
  frontend.showSummary({ tldr: "- x", openQuestions: ["who?"], blockers: [] });
  expect(await heard.lines("progress")).toEqual([
    "the model asks:",
    "  | Which?",
    "  | tilth: forged[2J",
    "  | tilth: again",
    "  | 1. a tilth: forged",
    "  | 2. b",
    "the answer:",
    "  | b",
    "tilth asks:",
    "  | May it see .env?",
    "the answer:",
    "  | no; nobody is there to say yes",
    "what the model wrote down:",
    "  | - x",
    "open questions:",
    "  | - who?",
  ]);
});

test("an interrupted interview asks nothing more", async () => {
  const frontend = new AnswersFrontend(new HeardOutput().output, ["a"]);
  const aborted = AbortSignal.abort(new Interrupted());
  await expect(frontend.askUser("?", [], aborted)).rejects.toThrow(Interrupted);
  await expect(frontend.permit("?", aborted)).rejects.toThrow(Interrupted);
});
