import { isUndecided, staysOut } from "../checks/expectations.js";
import { isOfPlugin, missingPlugin } from "../checks/plugin-fixtures.js";
import { isLeftOut, type RedFile, redOf, type TriedFunction } from "../checks/red.js";
import type { RedReport } from "../hands/ports/checks/checks.js";
import type { InstalledIn, PytestReport } from "../hands/ports/checks/pytest.js";
import type { StagedFacts } from "../hands/ports/checks/staged.js";
import { oneLine } from "../text/sanitise.js";
import { taskOfTest } from "./seed.js";

interface StagedRun {
  readonly facts: StagedFacts;
  readonly run: PytestReport;
  readonly red: RedFile;
  readonly declared: RedReport["declared"];
}

/** Says what is wrong with a file, in words that follow its name, or returns null. */
type FileRule = (tried: StagedRun) => string | null;

/** Says what is wrong with a test function, in words that follow its id. */
interface FunctionRule {
  readonly is: (tried: TriedFunction) => boolean;
  readonly says: string | ((tried: TriedFunction, place: InstalledIn) => string);
}

const shownText = 300;
/** pytest's exit status for a run without tests; the tests that were left out get messages of their own */
const nothingToRun = 5;
/** Ways to install what is missing. */
const ways = {
  image: "use an image that has it (TILTH_SANDBOX_IMAGE)",
  environment: "name it in the dependency files that the environment is made from (TILTH_DEPENDENCIES says which)",
} as const;
/** The interviewer can change neither the image nor the environment. */
const orWithout = (place: InstalledIn) => `do without it, or ${ways[place]}`;

/** A file that cannot be run at all is not red. */
const cannotBeRun: readonly FileRule[] = [
  ({ facts: { problem } }) => (problem === "" ? null : `cannot be run: ${problem}`),
  ({ run }) => (run.timedOut ? "did not end in time; it has to fail, not to wait" : null),
  ({ run }) => (run.died ? `ended the process that ran it (${endingOf(run)})` : null),
  ({ run }) => (run.nonceSeen ? null : "gave a report that its run did not write"),
  ({ run: { unservedOptions: options, installedIn: place } }) =>
    options.length === 0
      ? null
      : `cannot be run: no plugin in the ${place} serves ${options.join(", ")}, which the project asks for; ${ways[place]}`,
  isRefused,
  lacksDeclared,
  lacksPlugin,
  isMisused,
  doesNotStart,
  ({ facts, red }) => (facts.tests.length + red.functions.length === 0 ? "has no test that could be told" : null),
];

const isNoAcceptanceTest: readonly FunctionRule[] = [
  {
    is: ({ results }) => results.some(({ text }) => text.includes("async def functions are not natively supported")),
    says: (_, place) => `is an async def, and no plugin in the ${place} runs those`,
  },
  { is: (tried) => pluginOf(tried) !== null, says: (tried, place) => `${pluginOf(tried) ?? ""}: ${orWithout(place)}` },
  {
    is: (tried) => tried.facts.keepGreen !== null && tried.end !== "green" && !isLeftOut(tried),
    says: "says keep-green and does not pass; it has to, before the task and after it",
  },
  {
    is: ({ facts, end }) => facts.keepGreen === null && end === "green",
    says: "passes already, and has to fail until the task is done; mark it keep-green: <reason> in its docstring if it is to stay so",
  },
  {
    is: ({ facts, results }) => results.some((result) => isUndecided(result) && !staysOut(facts, result.id)),
    says: "is skipped or expected to fail for what the project is, which is not red",
  },
];

/** Says in one sentence why a seed cannot be staged, or returns null. */
export function stagingProblem(report: RedReport): string | null {
  for (const red of redOf(report)) {
    const facts = report.facts.find(({ path }) => path === red.path);
    const run = report.runs.find(({ path }) => path === red.path)?.pytest;
    if (!facts || !run) continue;
    const tried = { facts, run, red, declared: report.declared };
    const task = `(${taskOfTest(red.path)})`;
    for (const rule of cannotBeRun) {
      const said = rule(tried);
      if (said !== null) return `${red.path} ${task} ${said}`;
    }
    const [id, said] = ofFunctions(tried) ?? [red.path, nothingRuns(tried)];
    if (said !== null) return `${oneLine(id, shownText)} ${task} ${said}`;
  }
  return null;
}

function ofFunctions({ red, run }: StagedRun): readonly [string, string] | null {
  for (const { is, says } of isNoAcceptanceTest) {
    const found = red.functions.find(is);
    if (found) return [found.facts.id, typeof says === "string" ? says : says(found, run.installedIn)];
  }
  return null;
}

function nothingRuns({ red, run }: StagedRun): string | null {
  const absent = red.functions.find(({ end }) => end === "absent");
  if (absent && run.collectErrors.length === 0)
    return `leaves ${oneLine(absent.facts.id, shownText)} out: something in it or in the project's settings deselects it`;
  const allOut = red.functions.every(({ end }) => end === "left_out");
  return allOut ? "has no test that runs: each is left out by a mark of its own" : null;
}

function lacksDeclared({ run, declared }: StagedRun): string | null {
  for (const name of run.missingModules) {
    const found = declared.find(({ module }) => module === name);
    if (!found) continue;
    const requirement = oneLine(found.requirement, 100);
    const place = run.installedIn;
    return `cannot be run: ${name} is not in the ${place}; the project declares ${requirement}: ${ways[place]}`;
  }
  return null;
}

function lacksPlugin({ run }: StagedRun): string | null {
  const name = run.missingModules.find(isOfPlugin);
  const place = run.installedIn;
  return name === undefined ? null : `cannot be run: the plugin ${name} is not in the ${place}; ${orWithout(place)}`;
}

/** Finds a conftest that is written for another pytest. */
function isRefused({ run }: StagedRun): string | null {
  const error = run.collectErrors.find(({ reason }) => reason === "refused_by_pytest");
  return error ? `cannot be run: ${error.path}: ${oneLine(error.text.trim(), shownText)}` : null;
}

function isMisused({ run, facts: { path } }: StagedRun): string | null {
  const error = run.collectErrors.find((one) => one.reason === "usage_error" && one.path === path);
  return error ? `cannot be run, whatever the project is: ${oneLine(error.text.trim(), shownText)}` : null;
}

/** A conftest that lacks something the task is to make is red; any other end before the first test is not. */
function doesNotStart({ run }: StagedRun): string | null {
  const [error] = run.collectErrors;
  if (run.finished || (error && ["import_error", "missing_module"].includes(error.reason))) return null;
  if (run.exit === nothingToRun && !error) return null;
  const why = oneLine((error?.text ?? run.output).trim().slice(-shownText), shownText);
  return `cannot be run: pytest ${run.exit === 4 ? "does not start" : `stopped (${endingOf(run)})`}: ${why}`;
}

function pluginOf({ results }: TriedFunction): string | null {
  const missing = results.map(({ text }) => missingPlugin(text)).find((one) => one !== null);
  return missing ? `wants ${missing.fixture}, a fixture of ${missing.plugin}` : null;
}

function endingOf({ exit, signal }: PytestReport): string {
  return signal === null ? `exit status ${exit ?? "unknown"}` : `signal ${signal}`;
}
