import { redOf } from "../checks/red.js";
import type { RedReport } from "../hands/ports/checks/checks.js";
import { oneLine } from "../text/sanitise.js";
import { taskOfTest } from "./seed.js";

const shownRemarks = 20;

/** Tells a person what to know of a seed that can be staged, one line each. */
export function stagingRemarks(report: RedReport): readonly string[] {
  const all = [
    ...new Set([
      ...withoutAssertion(report),
      ...leftOutOptions(report),
      ...hiddenModules(report),
      ...unmadeFiles(report),
    ]),
  ];
  const more = all.length - shownRemarks;
  return more > 0 ? [...all.slice(0, shownRemarks), `and ${more} more of the kind`] : all;
}

function withoutAssertion(report: RedReport): readonly string[] {
  return redOf(report).flatMap(({ path, functions }) =>
    functions
      .filter(({ facts }) => !facts.asserts)
      .map(
        ({ facts: { id } }) => `${oneLine(id, 200)} (${taskOfTest(path)}) has no assertion: it fails only by an error`,
      ),
  );
}

function leftOutOptions({ runs }: RedReport): readonly string[] {
  const options = [...new Set(runs.flatMap(({ pytest }) => pytest.droppedOptions))];
  return options.length > 0 ? [`checks leave out these pytest options of the project: ${options.join(", ")}`] : [];
}

/** Finds missing modules that the base's own code imports: a task would hardly have to write those. */
function unmadeFiles({ runs }: RedReport): readonly string[] {
  return runs
    .flatMap(({ pytest }) => pytest.collectErrors)
    .flatMap(({ text }) => {
      const lines = text.split("\n");
      const at = lines.findIndex((line) => missingPart.test(line));
      const name = missingPart.exec(lines[at] ?? "")?.[1];
      const importer = lines.slice(0, Math.max(at, 0)).findLast((line) => frame.test(line));
      const path = frame.exec(importer ?? "")?.[1];
      if (name === undefined || path === undefined || isTest(path)) return [];
      return [
        `${oneLine(path, 200)} imports ${oneLine(name, 100)}, which the base does not have: if a build generates that file, commit it`,
      ];
    });
}

/** matches pytest's lines for a module inside a package: no dependency of a project has such a name */
const missingPart = /^E +(?:ModuleNotFoundError|ImportError): No module named '([\w]+\.[\w.]+)'/;
const frame = /^([^\s:]+\.py):\d+: in /;
const isTest = (path: string) => path.startsWith("tests/") || /(?:^|\/)conftest\.py$/.test(path);

function hiddenModules({ runs }: RedReport): readonly string[] {
  return runs.flatMap(({ path, pytest }) =>
    pytest.collectErrors
      .filter(({ reason }) => reason === "hidden_module")
      .map(({ text }) => [...text.matchAll(/(?:No module named|from) '(\w+)/g)].at(-1)?.[1] ?? "it imports")
      .map((name) => `${path} (${taskOfTest(path)}): the tree's module ${name} is hidden by an installed one`),
  );
}
