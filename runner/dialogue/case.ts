import type { ToolCall } from "../model/port/model-client.js";
import type { Case } from "../session/log/events/verdicts.js";
import type { Task } from "../session/state/prd.js";
import type { Parsed } from "../tools/tool/arguments.js";
import { withoutBlanks } from "../tools/tool/fields.js";
import { type CaseInput, mostWorkArounds, submitCase } from "../tools/worker/submit-case.js";

/** A case is kept small because it ends up in prompts, the ledger and a commit message. */
const mostBytes = 32 * 1024;

/** Reads the case in a call. A problem has one line for each field or criterion that is wrong. */
export function parseCase(call: Pick<ToolCall, "arguments">, task: Pick<Task, "acceptance_criteria">): Parsed<Case> {
  if (Buffer.byteLength(call.arguments) > mostBytes)
    return {
      ok: false,
      problem: `the arguments of ${submitCase.definition.name} are over ${mostBytes} bytes; shorten summary and lists`,
    };
  const given = submitCase.read(call);
  return given.ok ? read(given.value, task.acceptance_criteria) : given;
}

function read(given: CaseInput, criteria: readonly string[]): Parsed<Case> {
  const numbers = given.ac_coverage.map((entry) => numberOf(entry.criterion, criteria));
  const workArounds = withoutBlanks(given.work_arounds);
  const problems = [
    ...given.ac_coverage.flatMap((entry, index) => problemsOfEntry(entry, index, numbers[index] ?? null, criteria)),
    ...criteria.flatMap((text, index) =>
      numbers.includes(index + 1) ? [] : [`ac_coverage: criterion ${index + 1} is not covered: ${text.slice(0, 200)}`],
    ),
    ...(workArounds.length > mostWorkArounds ? [`work_arounds: at most ${mostWorkArounds} items`] : []),
  ];
  if (problems.length > 0) return { ok: false, problem: problems.slice(0, 30).join("\n") };
  return {
    ok: true,
    value: {
      summary: given.summary,
      ac_coverage: given.ac_coverage.map(({ addressed_by, evidence }, index) => ({
        criterion: String(numbers[index]),
        addressed_by,
        ...(evidence == null ? {} : { evidence }),
      })),
      work_arounds: workArounds,
      uncertainties: withoutBlanks(given.uncertainties),
    },
  };
}

function problemsOfEntry(
  entry: CaseInput["ac_coverage"][number],
  index: number,
  number: number | null,
  criteria: readonly string[],
): readonly string[] {
  const at = `ac_coverage[${index}]`;
  const problems: string[] = [];
  if (number === null)
    problems.push(
      `${at}.criterion: ${JSON.stringify(String(entry.criterion).slice(0, 200))} is neither a number from 1 to ${criteria.length} nor the exact text of a criterion`,
    );
  if (!isPointer(entry.addressed_by))
    problems.push(`${at}.addressed_by: point to the place, as path:symbol or in under eight words`);
  return problems;
}

/** Accepts a criterion's number, its exact text, or the form prompts show: `2.`, `2. the text`. */
function numberOf(criterion: string | number, criteria: readonly string[]): number | null {
  const text = String(criterion).trim();
  const [, digits, words = ""] = /^([1-9]\d{0,5})(?:\.\s*([\s\S]*))?$/.exec(text) ?? [];
  const named = criteria[Number(digits) - 1]?.trim();
  if (named !== undefined && (words === "" || words === named)) return Number(digits);
  return criteria.findIndex((one) => one.trim() === text) + 1 || null;
}

const fewWords = 8;
const folderPath = /^[\p{L}\p{N}_.@~+-]*(?:[/\\][\p{L}\p{N}_.@~+-]+)+/u;
const folder = /^[\p{L}\p{N}_.@~+-]+\/$/u;
const dotFile = /^\.[A-Za-z][\w-]+(?:\.[\w-]+)*$/;
const fileName = /^[\p{L}\p{N}_@+-]+(?:\.[\p{L}\p{N}_@+-]+)*\.[A-Za-z]\w{0,9}(?:[:#(]\S*)?$/u;
/** `e.g`, `i.e`: their last full stop has been stripped as if it ended the sentence */
const abbreviation = /^(?:\p{L}\.)+\p{L}$/u;

/** True if a text points to a place instead of telling about it: it has a path-like word or fewer than eight words. */
export function isPointer(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return words.length < fewWords || words.some(isPathLike);
}

function isPathLike(word: string): boolean {
  const bare = word.replace(/^["'`([<*]+/, "").replace(/["'`)\]>*,.;:]{1,5}$/, "");
  if (abbreviation.test(bare)) return false;
  return [folderPath, folder, dotFile, fileName].some((shape) => shape.test(bare));
}
