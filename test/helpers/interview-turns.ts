import type { FakeReply } from "./fake-model-client.js";
import { type Call, calls } from "./loop-turns.js";

export const ask = (question: string, options?: unknown): Call => [
  "ask_user",
  { question, ...(options === undefined ? {} : { options }) },
];
export const read = (path: string): Call => ["read_file", { path }];

const entry = {
  id: "T-001",
  title: "Say hello",
  description: "The program greets.",
  acceptance_criteria: ["It says hello."],
};
const test = "from app import hello\n\n\ndef test_hello():\n    assert hello() == 'hello'\n";

/** Arguments for a seed that every sink takes. */
export const seedArguments = {
  prd_entries: [entry],
  test_files: { "test_t001_hello.py": test },
  tldr: "- **T-001:** THE-TLDR",
  open_questions: ["THE-QUESTION", "  "],
  blockers: ["THE-BLOCKER"],
  scope_notes: "THE-SCOPE",
};
export const seed = (changes: Readonly<Record<string, unknown>> = {}): Call => [
  "write_seed",
  { ...seedArguments, ...changes },
];
export const handIn: FakeReply = calls(seed());
