import type { TreeId } from "../../../base/ids.js";
import type { CheckReport, CheckRequest, Checks, RedReport, RedRequest } from "../../ports/checks/checks.js";
import type { CounterReport, CounterRequest } from "../../ports/checks/counter.js";
import type { RuffReport, RuffRules } from "../../ports/checks/ruff.js";
import type { StagedTest } from "../../ports/checks/staged.js";
import type { SuiteRuns } from "../../ports/checks/suite.js";
import type { BuiltEnvironment } from "../../ports/environment.js";
import type { ContainerChecks } from "./checks.js";

type MakeChecks = (environment: BuiltEnvironment | null) => ContainerChecks;

/** Checks in the environment that is in use; ends containers that were started for another one. */
export class ChecksInForce implements Checks, AsyncDisposable {
  #environment: BuiltEnvironment | null = null;
  #checks: ContainerChecks;
  readonly #retiring = new Set<Promise<unknown>>();

  constructor(private readonly make: MakeChecks) {
    this.#checks = make(null);
  }

  use(environment: BuiltEnvironment | null): void {
    if (environment?.id === this.#environment?.id) return;
    const retiring = this.#checks[Symbol.asyncDispose]().catch(() => undefined);
    this.#retiring.add(retiring);
    void retiring.then(() => this.#retiring.delete(retiring));
    this.#environment = environment;
    this.#checks = this.make(environment);
  }

  prepare(): void {
    this.#checks.prepare();
  }

  run(request: CheckRequest, signal: AbortSignal): Promise<CheckReport> {
    return this.#checks.run(request, signal);
  }

  red(request: RedRequest, signal: AbortSignal): Promise<RedReport> {
    return this.#checks.red(request, signal);
  }

  counter(request: CounterRequest, signal: AbortSignal): Promise<CounterReport> {
    return this.#checks.counter(request, signal);
  }

  suite(tree?: TreeId): SuiteRuns {
    return this.#checks.suite(tree);
  }

  ruffRules(base: TreeId, signal: AbortSignal): Promise<RuffRules> {
    return this.#checks.ruffRules(base, signal);
  }

  lintFiles(files: readonly StagedTest[], signal: AbortSignal): Promise<RuffReport> {
    return this.#checks.lintFiles(files, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checks[Symbol.asyncDispose]();
    await Promise.all(this.#retiring);
  }
}
