import type { ScriptedCall, Turn } from "../../runner/demo/script/script.js";

/**
 * The seed that a scripted interviewer hands in: tasks for `pkg.m<n>`, each with a test that is red until it is done.
 */
export function seedOf(numbers: readonly number[], change: object = {}): Turn {
  return { calls: [seedCall(numbers, change)] };
}

export function seedCall(numbers: readonly number[], change: object = {}): ScriptedCall {
  return [
    "write_seed",
    {
      prd_entries: numbers.map((number) => ({
        id: idOf(number),
        title: `Answer ${number}`,
        description: `A module pkg.m${number} with a function answer.`,
        acceptance_criteria: [`answer() gives ${number}`],
      })),
      test_files: Object.fromEntries(numbers.map((number) => [nameOf(number), testOf(number)])),
      tldr: "- Answers, one module each",
      open_questions: ["What is the question?"],
      blockers: [],
      scope_notes: "Nothing else.",
      ...change,
    },
  ];
}

export function testOf(number: number): string {
  return `from pkg.m${number} import answer\n\n\ndef test_answer():\n    assert answer() == ${number}\n`;
}

export const idOf = (number: number) => `T-${String(number).padStart(3, "0")}`;
export const nameOf = (number: number) => `test_t${String(number).padStart(3, "0")}_answer.py`;

export const ask = (question: string, options?: readonly string[]): Turn => ({
  calls: [["ask_user", { question, ...(options ? { options } : {}) }]],
});
