import { quietly } from "../../base/quietly.js";
import type { Baseline } from "../../checks/suite/baseline.js";
import type { TaskSpan } from "../../session/log/events.js";
import type { Accepted } from "../context/outcome.js";
import type { RunContext } from "../context/run-context.js";
import type { Checked, Submitted } from "../judging/checking.js";
import { baseSuite } from "./base-suite.js";
import { SuiteCheck } from "./suite-check.js";

/** The project's own tests during one task: their results before it, and the check of each submit against them. */
export class OwnTests implements AsyncDisposable {
  readonly #run: RunContext;
  readonly #leaving = new AbortController();
  readonly #based: Promise<void>;
  /** files with changed tests that the evaluator still has to be told about */
  readonly #untold = new Set<string>();

  constructor(run: RunContext, of: { readonly last: Accepted; readonly span: TaskSpan }) {
    this.#run = run;
    this.#based = quietly(this.#base(of));
  }

  /** Checks a submit against the project's own tests; the check passes at once if they do not count. */
  async against(submitted: Submitted, checked: Checked): Promise<SuiteCheck> {
    await this.#based;
    return new SuiteCheck(this.#run, { ...this.#of(submitted, checked), untold: this.#untold });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#based.catch(() => undefined);
  }

  #of(submitted: Submitted, checked: Checked) {
    const { settings, suite } = this.#run;
    const baseline: Baseline | null = settings.suite.mode === "off" ? null : suite.baseline;
    return { submitted, checked, baseline };
  }

  /** Runs the tests if they have no baseline yet, or one from another environment. */
  async #base({ last, span }: { readonly last: Accepted; readonly span: TaskSpan }): Promise<void> {
    const { settings, suite, environments, hands, events, seedTests, files } = this.#run;
    const { key } = environments;
    if (settings.suite.mode === "off" || suite.baseline?.environment === key) return;
    await this.#run.repository();
    await baseSuite({
      ...{ checks: hands.checks, tree: last.tree, settings: settings.suite, environment: key, events, span },
      staged: seedTests.all(files.loadPrd()).map(({ path }) => path),
      say: () => undefined,
      signal: AbortSignal.any([this.#run.signal, this.#leaving.signal]),
    });
  }
}
