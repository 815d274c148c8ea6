import { writeFile } from "./session-play.js";
import type { SeedTask } from "./session-world.js";

/** A project of parts, none of which gives the value it should. */
export function partsProject(count: number): Record<string, string> {
  const parts = numbers(count).map((n) => [partPath(n), "def value():\n    return None\n"]);
  return { "parts/__init__.py": "", "README.md": "# parts\n", ...Object.fromEntries(parts) };
}

/** Task n: make part n give n times eleven. */
export function partTask(n: number, change: Partial<SeedTask> = {}): SeedTask {
  return {
    id: taskId(n),
    title: `Part ${n}`,
    description: `Part ${n} gives its value.`,
    acceptance_criteria: [`value() of part ${n} is ${n * 11}`],
    test: { name: testPath(n).slice("tests/".length), source: partTest(n) },
    ...change,
  };
}

export function partTest(n: number): string {
  return `from parts.p${n} import value\n\n\ndef test_part_${n}():\n    assert value() == ${n * 11}\n`;
}

export function honestPart(n: number) {
  return writeFile(partPath(n), `def value():\n    return ${n} * 11\n`);
}

export const partPath = (n: number) => `parts/p${n}.py`;
export const testPath = (n: number) => `tests/test_${taskId(n).replace("T-", "t")}_part.py`;
export const taskId = (n: number) => `T-${String(n).padStart(3, "0")}`;
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
