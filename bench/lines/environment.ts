import { setTimeout as sleep } from "node:timers/promises";
import { judgementOf } from "../../runner/checks/judgement.js";
import type { Container } from "../../runner/hands/docker/container/container.js";
import { isolationOf, RoleStarts, specContext } from "../../runner/hands/docker/role-starts.js";
import { checkPython } from "../../runner/hands/ports/container-paths.js";
import type { BuiltEnvironment } from "../../runner/hands/ports/environment.js";
import type { RoleView } from "../../runner/hands/ports/sandbox.js";
import { differencesIn } from "../../runner/hands/roles/build/inside.js";
import { Zygote } from "../../runner/hands/roles/check/containers/zygote.js";
import { workEnv } from "../../runner/hands/roles/work/work-env.js";
import { requestOf } from "../../test/helpers/check-world.js";
import { BareCheck } from "../bare-check.js";
import type { Bench, Line, Reading } from "../line.js";
import { manyPackages, project, solution, staged } from "../many-packages.js";
import { StandingEnvironment } from "../standing-environment.js";
import { interleave } from "../statistics.js";
import { openWorkshop, type Workshop } from "../workshop.js";

/** The least time a model takes to answer; the next check's container starts meanwhile. */
const thinkMs = 600;

export const environment: Line = {
  name: "environment",
  async measure(bench) {
    await using standing = await StandingEnvironment.make(bench, project, manyPackages());
    const { built } = standing;
    const starts = await started(bench, built);
    const check = await checked(bench, built);
    const found = await interleave({ "found, put on record": () => standing.find() }, bench.times(60));
    return [
      ...starts,
      check,
      {
        what: "an environment that is on the engine: found by a seed, p50",
        unit: "ms",
        value: found["found, put on record"].median,
        bound: 50,
        of: found,
      },
    ];
  },
};

/** Times each start until the container can be used: a check's pytest is loaded, a worker's isolation is proved. */
async function started(bench: Bench, built: BuiltEnvironment): Promise<readonly Reading[]> {
  await using workshop = await openWorkshop(bench, project);
  const starts = new Starts(bench, workshop);
  const { id } = built;
  const all = await interleave(
    {
      work: () => starts.work(null),
      "work with it": () => starts.work(id),
      check: () => starts.check(null),
      "check with it": () => starts.check(id),
    },
    bench.times(64),
  );
  const compared = await interleave({ compared: () => starts.compared(built) }, bench.times(8), 1);
  const more = (what: "work" | "check"): Reading => ({
    what: `a ${what} container with an environment of 200 packages: how much later it is ready, p50`,
    unit: "ms",
    value: all[`${what} with it`].median - all[what].median,
    bound: 20,
    of: { without: all[what], "with it": all[`${what} with it`] },
    note: `the first container of a run also compares every file with what was made: ${Math.round(compared.compared.median)} ms`,
  });
  return [more("work"), more("check")];
}

class Starts {
  readonly #starts: RoleStarts;

  constructor(
    private readonly bench: Bench,
    private readonly workshop: Workshop,
  ) {
    const made = { context: specContext({ ...bench, session: workshop.session }), isolation: isolationOf(bench) };
    this.#starts = new RoleStarts(bench.engine, made, Promise.resolve());
  }

  work(volume: string | null): Promise<number> {
    const view = { role: "work", worktree: this.workshop.worktree, environment: volume } as const;
    return this.#ready(view, async () => undefined);
  }

  check(volume: string | null): Promise<number> {
    const { image, signal } = this.bench;
    const isThere = volume !== null;
    const view = { role: "check", environment: volume } as const;
    const zygote = (container: Container) => new Zygote(container, workEnv(image.env, isThere), checkPython(isThere));
    return this.#ready(view, (container) => zygote(container).start(signal));
  }

  async compared({ id, digest }: BuiltEnvironment): Promise<number> {
    const { signal } = this.bench;
    await using container = await this.#starts.start({ role: "check", environment: id }, signal);
    const began = performance.now();
    const [first] = await differencesIn(container, digest, signal);
    if (first !== undefined) throw new Error(`${first} is not what was made`);
    return performance.now() - began;
  }

  async #ready(view: RoleView, use: (container: Container) => Promise<void>): Promise<number> {
    const began = performance.now();
    await using container = await this.#starts.start(view, this.bench.signal);
    await use(container);
    return performance.now() - began;
  }
}

async function checked(bench: Bench, { id, digest }: BuiltEnvironment): Promise<Reading> {
  const { signal } = bench;
  const [module, test] = [{ [solution.path]: solution.source }, { [staged.path]: staged.source }];
  await using workshop = await openWorkshop(bench, { ...project, ...test });
  await using bare = await BareCheck.open(bench, { ...project, ...module, ...test }, id);
  const { work, clerk, checks } = workshop.hands;
  workshop.hands.useEnvironment({ id, digest });
  await work.writeFile({ path: solution.path, content: Buffer.from(solution.source), lint: null }, signal);
  const snapshot = await clerk.snapshot(workshop.tree, signal);
  if (!snapshot.ok) throw new Error("there is no tree to check");
  const { tree } = snapshot;
  const request = requestOf({ tree, last: workshop.tree, staged: [staged] });
  const of = await interleave(
    {
      "a check, ruff and all": async () => {
        checks.prepare();
        await sleep(thinkMs);
        const began = performance.now();
        const report = await checks.run(request, signal);
        const ms = performance.now() - began;
        const { passed, checks: judged } = judgementOf(report, request);
        if (!passed) throw new Error(`the check did not pass: ${JSON.stringify(judged)}`);
        // as beside an evaluator: the next thing that runs uses up the state that a check leaves
        await checks.counter({ tree, staged: [staged], sites: [], reached: {}, budgetMs: 1_000 }, signal);
        return ms;
      },
      "python -m pytest": () => bare.pytest(staged.path),
    },
    bench.times(32),
  );
  return {
    what: "a check with an environment of 200 packages / bare pytest in the image with it",
    unit: "ratio",
    value: of["a check, ruff and all"].median / of["python -m pytest"].median,
    bound: 1.2,
    of,
    note: `its container has ${thinkMs} ms to start in; on a machine where that takes longer, the check waits for it`,
  };
}
