import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InterviewTrial } from "../helpers/interview-trial.js";
import { handIn, seed, seedArguments } from "../helpers/interview-turns.js";
import { type Call, calls } from "../helpers/loop-turns.js";
import { scratch } from "../helpers/scratch.js";

const without = (field: keyof typeof seedArguments): Call => {
  const { [field]: _, ...rest } = seedArguments;
  return ["write_seed", rest];
};
const entry = seedArguments.prd_entries[0];
const [testName = "", testText = ""] = Object.entries(seedArguments.test_files)[0] ?? [];
const files = (name: string, text: unknown = testText) => seed({ test_files: { [name]: text } });
const entries = (changes: Readonly<Record<string, unknown>>) => seed({ prd_entries: [{ ...entry, ...changes }] });

/** the fault, the call, and words that its answer must hold */
const bad: readonly (readonly [string, Call, string])[] = [
  ["no path", ["read_file", {}], "path: is missing"],
  ["a path that is a number", ["read_file", { path: 3 }], "path: "],
  ["a path that is null", ["read_file", { path: null }], "path: "],
  ["a blank path", ["read_file", { path: " \n" }], "path: must not be blank"],
  ["a path with a NUL", ["read_file", { path: "a\0b" }], "path: must not hold a NUL"],
  ["an endless path", ["read_file", { path: "x".repeat(5_000) }], "path: must be at most 4096 bytes"],
  ["an offset of nothing", ["read_file", { path: "a", offset: 0 }], "offset: "],
  ["a limit in words", ["read_file", { path: "a", limit: "all" }], "limit: "],
  ["an unknown key", ["read_file", { path: "a", encoding: "x" }], 'unknown key "encoding"'],
  ["a path upwards", ["read_file", { path: "../private.txt" }], "../private.txt is outside"],
  ["a path upwards from below /workspace", ["read_file", { path: "/workspace/../private.txt" }], "is outside"],
  ["an absolute path", ["read_file", { path: "/etc/passwd" }], "/etc/passwd is outside"],
  ["a link out", ["read_file", { path: "link" }], "link leads out"],
  ["a folder", ["read_file", { path: "folder" }], "folder is no regular file"],
  ["no pattern to list by", ["glob", {}], "pattern: is missing"],
  ["a pattern that is a list", ["glob", { pattern: ["*"] }], "pattern: "],
  ["an empty pattern", ["glob", { pattern: "" }], "pattern: must not be blank"],
  ["a pattern upwards", ["glob", { pattern: "../*" }], "no file matches"],
  ["no pattern to search for", ["grep", { path_glob: "*" }], "pattern: is missing"],
  ["a blank pattern to search for", ["grep", { pattern: "  " }], "pattern: must not be blank"],
  ["a pattern that is none", ["grep", { pattern: "(" }], "not a regular expression"],
  ["a place that is a number", ["grep", { pattern: "x", path_glob: 1 }], "path_glob: "],
  ["a place upwards", ["grep", { pattern: "PRIVATE", path_glob: "../**" }], "no line matches"],
  ["no question", ["ask_user", {}], "question: is missing"],
  ["a question that is an object", ["ask_user", { question: { text: "Why?" } }], "question: "],
  ["a blank question", ["ask_user", { question: " \t" }], "question: must not be blank"],
  ["an endless question", ["ask_user", { question: "x".repeat(5_000) }], "question: must be at most 4096 bytes"],
  ["options that are a text", ["ask_user", { question: "?", options: "yes" }], "options: "],
  ["an option that is a number", ["ask_user", { question: "?", options: ["a", 2] }], "options[1]: "],
  ["a blank option", ["ask_user", { question: "?", options: ["a", " "] }], "options[1]: must not be blank"],
  ["too many options", ["ask_user", { question: "?", options: [..."abcdefghi"] }], "options: must be at most 8"],
  [
    "too long an option",
    ["ask_user", { question: "?", options: ["x".repeat(301)] }],
    "options[0]: must be at most 300",
  ],
  ["an option of two lines", ["ask_user", { question: "?", options: ["a\nb"] }], "options[0]: must be one line"],
  ["an option twice", ["ask_user", { question: "?", options: ["a", "a "] }], "options: must differ"],
  ["no entries", without("prd_entries"), "prd_entries: is missing"],
  ["entries that are an object", seed({ prd_entries: { "T-001": entry } }), "prd_entries: "],
  ["entries as JSON in a text", seed({ prd_entries: JSON.stringify([entry]) }), "prd_entries: "],
  ["an empty list of entries", seed({ prd_entries: [] }), "prd is empty"],
  ["an entry that is a text", seed({ prd_entries: ["T-001"] }), "task 1 of the prd"],
  ["an entry without a title", entries({ title: undefined }), "T-001: title is missing"],
  ["a blank description", entries({ description: " " }), "T-001: description must not be blank"],
  ["no criteria", entries({ acceptance_criteria: [] }), "T-001: acceptance_criteria is empty"],
  ["an id that leads elsewhere", entries({ id: "../T-001" }), "../T-001"],
  ["no test files", without("test_files"), "test_files: is missing"],
  ["test files as a list", seed({ test_files: [testText] }), "test_files: "],
  ["a test file that is no text", files(testName, { text: testText }), `test_files.${testName}: `],
  ["not one test file", seed({ test_files: {} }), "tests/test_t001_<slug>.py is missing"],
  ["an empty test file", files(testName, ""), `tests/${testName} is empty`],
  ["a test file further up", files(`../${testName}`), `"../${testName}"`],
  ["a test file in a folder", files(`tests/${testName}`), `"tests/${testName}"`],
  ["a test file at the root", files(`/etc/${testName}`), `"/etc/${testName}"`],
  ["a test file that is something else", files("conftest.py"), '"conftest.py"'],
  ["a test file named __proto__", ["write_seed", withProtoFile()], "test_files: "],
  ["no tldr", without("tldr"), "tldr: is missing"],
  ["a tldr that is a list", seed({ tldr: ["a"] }), "tldr: "],
  ["a tldr that nobody would see", seed({ tldr: "\u200b\u0007" }), "tldr: must not be blank"],
  ["a question that nobody would see", ["ask_user", { question: "\u001b\u2066" }], "question: must not be blank"],
  ["an option that nobody would see", ["ask_user", { question: "Why?", options: ["\u200b"] }], "options[0]: "],
  [
    "two options that look the same",
    ["ask_user", { question: "Why?", options: ["yes", "y\u200bes"] }],
    "options: must differ",
  ],
  ["a number beyond all numbers", ["read_file", '{"path":"a","limit":1e999}'], "a number that is too large"],
  ["a blank tldr", seed({ tldr: " " }), "tldr: must not be blank"],
  ["an endless tldr", seed({ tldr: "x".repeat(20_000) }), "tldr: must be at most 16384 bytes"],
  ["open questions that are a text", seed({ open_questions: "none" }), "open_questions: "],
  ["a blocker that is an object", seed({ blockers: [{}] }), "blockers[0]: "],
  ["scope notes that are a list", seed({ scope_notes: [] }), "scope_notes: "],
  ["arguments that are a list", ["write_seed", "[]"], "must be one JSON object"],
  ["arguments that are null", ["ask_user", "null"], "must be one JSON object"],
  [
    "arguments deeper than any stack",
    ["write_seed", `{"tldr":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
    "too deep",
  ],
  ["a tool of another role", ["bash", { command: "ls" }], "The tools are: read_file, glob, grep, ask_user, write_seed"],
  ["a tool that every object has", ["constructor", {}], "There is no tool"],
];

/** Builds JSON with a key that an object literal cannot have. */
function withProtoFile(): string {
  const text = JSON.stringify({ ...seedArguments, test_files: { ...seedArguments.test_files, mark: "x = 1\n" } });
  return text.replace('"mark"', '"__proto__"');
}

/** An interview with a private file beside its folder, which it must not see. */
function trialWith(call: Call): InterviewTrial {
  const trial = new InterviewTrial([calls(call), handIn], { files: { a: "A\n" } });
  const outside = scratch();
  writeFileSync(join(outside, "private.txt"), "PRIVATE\n");
  mkdirSync(join(trial.root, "folder"));
  trial.link("link", join(outside, "private.txt"));
  return trial;
}

describe("a call with bad input", () => {
  it.each(bad)("comes back as an error that names it, and the interview goes on: %s", async (_, call, names) => {
    const trial = trialWith(call);
    expect(await trial.hold()).toEqual({ kind: "prepared" });
    expect(trial.answers[0]).toContain(names);
    expect(trial.answers[0]).not.toContain("PRIVATE");
    expect(trial.frontend.asked).toEqual([]);
    expect(trial.sink.taken).toHaveLength(1);
    const told = trial.model.of("interviewer")[1]?.messages.at(-1);
    expect(told).toEqual({ role: "tool", callId: "call_1", content: trial.answers[0] });
  });

  it("is told of only one field when a seed is wrong in all of them", async () => {
    const trial = trialWith(["write_seed", { open_questions: "none", blockers: [1] }]);
    await trial.hold();
    const fields = ["prd_entries", "test_files", "tldr", "open_questions", "blockers"];
    expect(fields.filter((field) => trial.answers[0]?.includes(field))).toHaveLength(1);
  });

  it("is told when a seed has a file twice", async () => {
    const files = JSON.stringify({ [testName]: testText });
    const twice = JSON.stringify(seedArguments).replace(files, `{"${testName}": "x",${files.slice(1)}`);
    const trial = trialWith(["write_seed", twice]);
    await trial.hold();
    expect(trial.answers[0]).toContain(`"${testName}" twice`);
  });

  it.each<[string, Call]>([
    ["ask_user with no options", ["ask_user", { question: "Why?", options: [] }]],
    ["ask_user with null for options", ["ask_user", { question: "Why?", options: null }]],
    ["ask_user with eight options", ["ask_user", { question: "Why?", options: [..."abcdefgh"] }]],
    ["read_file below /workspace", ["read_file", { path: "/workspace/a" }]],
    ["write_seed with null for what may be missing", seed({ open_questions: null, blockers: null, scope_notes: null })],
    ["write_seed with a status and keys nobody asked for", entries({ status: "done", points: 3 })],
    ["write_seed with one more key", seed({ interviewer: "me" })],
  ])("is told from a call that is allowed: %s", async (_, call) => {
    const trial = trialWith(call);
    expect(await trial.hold()).toEqual({ kind: "prepared" });
    expect(trial.answers[0]).not.toMatch(/not run|not taken/);
  });
});
