import type { CheckRequest } from "../hands/ports/checks/checks.js";
import type { GroundChange, PytestReport } from "../hands/ports/checks/pytest.js";

/** The task texts, which tell a wanted change from one that makes tests say what it likes. */
export type TaskTexts = Pick<CheckRequest, "taskText"> & { readonly since: Pick<CheckRequest["since"], "taskTexts"> };

const mostShown = 30;

/** Tests rely on the library and on their own files. Says which of these the project changed, or returns null. */
export function changedGround({ ground }: PytestReport, asked: TaskTexts): string | null {
  const refused = ground.filter((change) => !isFine(change, asked));
  if (refused.length === 0) return null;
  return [
    "What the tests stand on was changed by what they test, so that they passed says nothing. Undo it, in plain code:",
    ...refused.slice(0, mostShown).map((change) => `${lineOf(change)}. ${remedies[change.kind]}`),
  ].join("\n");
}

/** Notes for the reviewer: changes of the ground that are allowed. */
export function groundNotes(report: PytestReport | null, asked: TaskTexts): readonly string[] {
  return (report?.ground ?? [])
    .filter((change) => isFine(change, asked))
    .slice(0, mostShown)
    .map(lineOf);
}

function isFine({ kind, what, known }: GroundChange, { taskText, since }: TaskTexts): boolean {
  if (kind === "rewritten_by_tests" || known) return true;
  return kind === "replaced" && [taskText, ...since.taskTexts].some((text) => asksFor(text, what));
}

const replacing = /\b(?:(?:monkey)?patch|replac|overrid|intercept|freez|fak|stub|wrap|hook|redefin)/i;

/**
 * The name must stand as a whole word with its module, and the text must speak of replacing: a mere use is no request.
 */
function asksFor(text: string, what: string): boolean {
  if (!replacing.test(text)) return false;
  const spelled = [what, what.replace("posixpath.", "os.path.")].map((name) => name.replaceAll(".", "\\."));
  return new RegExp(`(?<![\\w.])(?:${spelled.join("|")})(?!\\w|\\.\\w)`).test(text);
}

const remedies = {
  replaced: "Leave the library as it is: write a function of your own, or let the test replace it for itself",
  planted: "Put nothing in the place of what the tests import: no entry of sys.modules, no folder in front of sys.path",
  rewritten: "Leave the files below tests/ alone: write somewhere else",
  rewritten_by_tests: "",
} satisfies Record<GroundChange["kind"], string>;

function lineOf({ kind, what, where }: GroundChange): string {
  switch (kind) {
    case "replaced":
      return `${what} was replaced${where === "" ? "" : `, by what stands in ${where}`}`;
    case "planted":
      return `the tests import ${what} from beside them, and got something else`;
    case "rewritten":
      return `${what} was changed while the tests were imported`;
    case "rewritten_by_tests":
      return `${what} was changed while the tests ran`;
  }
}
