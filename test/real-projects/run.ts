import { readFileSync } from "node:fs";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { type SeedTask, SessionWorld } from "../helpers/session-world.js";
import { fetched, unpack } from "./archive.js";
import { inPlainEnvironment } from "./plain.js";
import type { RealProject } from "./projects.js";
import { differing, inShort } from "./suite.js";
import { ProjectWorker } from "./worker.js";

export interface ProjectReport {
  readonly project: RealProject;
  /** the dependency files that were taken */
  readonly taken: readonly string[];
  readonly packages: number;
  /** one for each staging: the first makes the environment, the others find it */
  readonly seconds: readonly number[];
  readonly tilth: string;
  readonly plain: string;
  /** tilth's words about the environment */
  readonly said: readonly string[];
  /** tilth's words about the project's own tests, and the tests that caught a slip in the project's code */
  readonly held: { readonly said: string; readonly caughtBy: readonly string[] };
  /** everything that is not as it should be */
  readonly wrong: readonly string[];
}

/**
 * Takes a project from its archive through a session to the commit of its one task, and runs its own tests there and
 * elsewhere.
 */
export async function run(project: RealProject, stagings = 1): Promise<ProjectReport> {
  const archive = await fetched(project);
  const worker = new ProjectWorker(project);
  await using world = await SessionWorld.open({
    files: {},
    tasks: [taskOf(project)],
    script: { worker: worker.turn },
    env: { ...ofHost(), TILTH_TOOL_TIMEOUT_SECONDS: "900" },
    spoil: (repo) => {
      unpack(archive, repo.path);
      // an archive holds files that its repository ignores
      repo.git("add", "-A", "--force");
      repo.git("commit", "--quiet", "-m", `${project.name} ${project.version}`);
    },
  });
  const [session, first] = await timed(() => world.stage());
  const seconds = [first];
  while (seconds.length < stagings) seconds.push((await timed(() => world.stage({ inFlight: "keep" })))[1]);
  const end = await world.run(session);
  const events = await wholeLog(session);
  const [environment] = of(events, "environment");
  const lock = environment?.lock ? readFileSync(session.paths.environmentLock, "utf8") : "";
  const plain = await inPlainEnvironment(project, archive, lock);
  const differs = differing(worker.outcomes, plain.outcomes);
  const wrong = [...differs];
  if (end.stop.reason !== "all_done") wrong.push(`the session ended with ${end.stop.reason}: ${end.stop.detail ?? ""}`);
  if (of(events, "commit").length !== 1) wrong.push("there is no commit");
  const runs = of(events, "suite_run");
  const caughtBy = runs.filter(({ passed }) => !passed).flatMap(({ failed }) => failed);
  if (caughtBy.length === 0) wrong.push(`no test of the project caught the slip in its code: ${worker.refusal}`);
  if (runs.at(-1)?.passed !== true) wrong.push("the project's own tests did not pass in the end");
  if (worker.outcomes.size === 0) wrong.push("no test ran in tilth");
  if (wrong.length > 0) {
    wrong.push(...worker.answers.filter((answer) => !/END\s*$/.test(answer)), plain.output);
    for (const run of of(events, "check_run"))
      for (const { name, passed, ...rest } of run.checks) if (!passed) wrong.push(`${name}: ${JSON.stringify(rest)}`);
  }
  return {
    project,
    taken: environment?.taken ?? [],
    packages: environment?.packages ?? 0,
    seconds,
    tilth: inShort(worker.outcomes),
    plain: inShort(plain.outcomes),
    said: environment?.said ?? [],
    held: { said: world.said.find((line) => line.startsWith("your tests")) ?? "nothing", caughtBy },
    wrong,
  };
}

function taskOf({ name, task }: RealProject): SeedTask {
  return {
    id: "T-001",
    title: `Describe ${name}`,
    description: `${task.module} has a function described() that says what is installed.`,
    acceptance_criteria: ["described() gives the text that the test expects"],
    test: { name: "test_t001_described.py", source: task.test },
  };
}

/** The host's variables that say where the package index is and how to reach it. */
function ofHost(): Record<string, string> {
  const wanted = /^(SSL_CERT_FILE|(PIP|UV)_.*INDEX.*|(HTTPS?|ALL|NO)_PROXY)$/i;
  const found = Object.entries(process.env).filter(([name]) => wanted.test(name));
  return Object.fromEntries(found) as Record<string, string>;
}

async function timed<T>(what: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  const result = await what();
  return [result, (performance.now() - began) / 1_000];
}
