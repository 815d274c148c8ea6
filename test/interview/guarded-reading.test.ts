import { expect, test } from "vitest";
import { Interrupted } from "../../runner/base/errors.js";
import { GuardedReading } from "../../runner/interview/guarded-reading.js";
import { FakeSelectiveReading } from "../helpers/fake-selective-reading.js";

const { signal } = new AbortController();
const everything = { like: "(?!)", shown: [] };
const tree = {
  ".env": "TOKEN=canary\nOTHER=canary\n",
  ".env.example": "TOKEN=\n",
  "certs/server.key": "canary\n",
  "app.py": "TOKEN = os.environ\n",
  notes: "->.env",
};

/** The person gives these answers in order, and no to every later question. */
function guarded(answers: readonly boolean[] = [], files: Readonly<Record<string, string>> = tree) {
  const questions: string[] = [];
  const reading = new GuardedReading(new FakeSelectiveReading(files), async (question) => {
    questions.push(question);
    return answers[questions.length - 1] ?? false;
  });
  const read = (path: string, offset?: number) =>
    reading.readFile({ path, maxBytes: 1000, ...(offset === undefined ? {} : { offset }) }, signal);
  const glob = (pattern: string, limit = 100) => reading.glob({ pattern, limit }, signal);
  const grep = (pattern: string, pathGlob: string | null = null, limit = 100) =>
    reading.grep({ pattern, pathGlob, limit }, signal);
  return { questions, read, glob, grep };
}

const spellings = [".env", "./.env", "/workspace/.env", "certs/../.env", "notes"];

test.each(spellings)(
  "a file with a secret is not given under the name %s, though naive reading gives it",
  async (path) => {
    const naive = await new FakeSelectiveReading(tree).readFile({ path, maxBytes: 1000 }, everything);
    expect(JSON.stringify(naive)).toContain(JSON.stringify(Buffer.from("TOKEN=canary\nOTHER=canary\n")));
    const { read, questions } = guarded();
    expect(await read(path)).toEqual({
      ok: false,
      problem: expect.stringContaining('".env"'),
    });
    expect(questions).toHaveLength(1);
  },
);

test("an offset behind the end of a refused file does not show how long it is", async () => {
  const { read } = guarded();
  expect(await read(".env", 99)).toEqual(await read(".env", 1));
});

test("a yes gives the file under its every name, and gives no other", async () => {
  const { read, questions } = guarded([true]);
  for (const path of spellings.slice(0, 4)) {
    const file = await read(path);
    expect(file.ok && Buffer.from(file.content).toString()).toBe("TOKEN=canary\nOTHER=canary\n");
  }
  expect(questions).toEqual([expect.stringContaining('May the model read ".env"?')]);
  expect(await read("certs/server.key")).toMatchObject({ ok: false });
  expect(questions).toHaveLength(2);
});

test("a file is asked about only once, whatever it is wanted for", async () => {
  const { read, glob, grep, questions } = guarded([false]);
  await grep("canary");
  await grep("canary");
  await glob("**");
  await read(".env");
  await read("certs/server.key");
  expect(questions).toEqual([expect.stringContaining('".env" and "certs/server.key"')]);
});

test("a file that looks like no secret is read without a question, and so is an example of one", async () => {
  const { read, grep, questions } = guarded();
  expect(await read("app.py")).toMatchObject({ ok: true });
  expect(await read(".env.example")).toMatchObject({ ok: true });
  expect(await grep("TOKEN", "*.py")).toEqual({ ok: true, lines: ["app.py:1: TOKEN = os.environ"], truncated: false });
  expect(await read("none.py")).toMatchObject({ ok: false });
  expect(questions).toEqual([]);
});

test("a search leaves refused files out and says how many, whether they match or not", async () => {
  const { grep, glob } = guarded();
  const naive = await new FakeSelectiveReading(tree).grep({ pattern: "TOKEN", pathGlob: null, limit: 9 }, everything);
  expect(JSON.stringify(naive)).toContain("TOKEN=canary");
  const remark = "2 files that look like secrets were left out: the person did not allow reading them";
  const found = { ok: true, truncated: false, remark };
  expect(await grep("TOKEN")).toEqual({ ...found, lines: [".env.example:1: TOKEN=", "app.py:1: TOKEN = os.environ"] });
  expect(await grep("^OTHER=canary$")).toEqual({ ...found, lines: [] });
  expect(await grep("^OTHER=wrong$")).toEqual({ ...found, lines: [] });
  expect(await glob("**")).toEqual({ ...found, paths: [".env.example", "app.py", "notes"] });
  expect(await glob("*.key")).toEqual({ ok: true, paths: [], truncated: false });
});

test("the question does not reveal whether a secret matches either", async () => {
  const asked = async (pattern: string) => {
    const { grep, questions } = guarded();
    await grep(pattern);
    return questions;
  };
  expect(await asked("canary")).toEqual(await asked("nothing has this"));
});

test("matches in refused files crowd nothing out, and do not make an answer look cut", async () => {
  const crowded = { ".env": "hit\n".repeat(50), "z.py": "hit\n" };
  const naive = await new FakeSelectiveReading(crowded).grep({ pattern: "hit", pathGlob: null, limit: 1 }, everything);
  expect(naive.answer).toEqual({ ok: true, lines: [".env:1: hit"], truncated: true });
  expect(await guarded([], crowded).grep("hit", null, 1)).toMatchObject({ lines: ["z.py:1: hit"], truncated: false });
});

test("a search finds everything after a yes", async () => {
  const { grep } = guarded([true]);
  expect(await grep("canary")).toEqual({
    ok: true,
    truncated: false,
    lines: [".env:1: TOKEN=canary", ".env:2: OTHER=canary", "certs/server.key:1: canary"],
  });
});

test("the question names files on one line, by the ends of their paths", async () => {
  const files = Object.fromEntries(["a.pem", "b\u202e.pem", `${"c/".repeat(60)}c.pem`].map((path) => [path, "x"]));
  const { glob, questions } = guarded([], files);
  await glob("**");
  expect(questions).toEqual([
    `May the model read "a.pem", "b.pem" and "…${`${"c/".repeat(60)}c.pem`.slice(-80)}"? They look like secrets, and what the model reads is sent to its provider.`,
  ]);
});

test("a yes is for the files that were named, and the others are asked about when they are next in the way", async () => {
  const names = Array.from({ length: 12 }, (_, at) => `${String(at).padStart(2, "0")}.pem`);
  const { grep, questions } = guarded([true, true], Object.fromEntries(names.map((name) => [name, "hit"])));
  const found = async () => {
    const answer = await grep("hit");
    return answer.ok ? answer.lines.length : answer.problem;
  };
  expect(await found()).toBe(10);
  expect(questions[0]).toContain('"09.pem"?');
  expect(questions[0]).toMatch(/provider\. 2 more like them are left out either way\.$/);
  expect(await found()).toBe(12);
  expect(questions.slice(1)).toEqual([
    expect.stringMatching(/^May the model read "10.pem" and "11.pem"\?.*provider\.$/),
  ]);
});

test("an interruption at the question ends the call", async () => {
  const broken = new GuardedReading(new FakeSelectiveReading(tree), () => Promise.reject(new Interrupted()));
  await expect(broken.readFile({ path: ".env", maxBytes: 9 }, signal)).rejects.toBeInstanceOf(Interrupted);
});
