import { randomBytes } from "node:crypto";
import type { TreeId } from "../../../base/ids.js";
import { checkRequests, suiteLine, testRuns } from "../../pipe/wire/check.js";
import { againAfterSleep } from "../../ports/after-sleep.js";
import type { FileOfTree, SuiteReport, SuiteRun, SuiteRuns } from "../../ports/checks/suite.js";
import { containerPaths } from "../../ports/container-paths.js";
import { HandsLost } from "../../ports/hands.js";
import type { WarmCheck } from "./containers/pool.js";
import { reportAs } from "./containers/replies.js";
import type { RequestFields, ZygoteEnd, ZygoteRequest } from "./containers/zygote.js";
import { newCanary } from "./runs/canary.js";
import { nothingReported, reportOf } from "./runs/test-run.js";

export interface SuitePlace {
  /** the tree that was checked in the container that `take` returns, if that was kept */
  readonly tree: TreeId | null;
  take(signal: AbortSignal): Promise<WarmCheck>;
  /** takes back a container in which only `tree` has run and nothing runs any more */
  putBack(check: WarmCheck): Promise<void>;
  /** puts the tree into it, with nothing left of earlier runs */
  fresh(check: WarmCheck, run: SuiteRun, signal: AbortSignal): Promise<void>;
}

/** The process ends itself when its time is over, unless something in it prevents that. */
const mostOverMs = 20_000;
const attempts = 2;
const openingBrace = "{".charCodeAt(0);
const newline = "\n".charCodeAt(0);

export class ContainerSuite implements SuiteRuns {
  #check: WarmCheck | null = null;
  #isAsItWas = true;

  constructor(private readonly place: SuitePlace) {}

  async run(run: SuiteRun, signal: AbortSignal): Promise<SuiteReport> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const report = await againAfterSleep(() => this.#attempt(run, signal));
      if (report !== null && !report.died) return report;
      await this.#end();
    }
    return { ...nothingReported, notRun: [], brokenOff: [], inCode: [], rewritten: [] };
  }

  async touched(of: Parameters<SuiteRuns["touched"]>[0], signal: AbortSignal): Promise<readonly string[]> {
    const { tree, changed, files } = of;
    const payload = { repo: containerPaths.repo, tree };
    const fields = { payload, input: { changed, files } };
    return (await this.#told(checkRequests.touched, fields, signal))?.paths ?? files;
  }

  async bodies(files: readonly FileOfTree[], signal: AbortSignal): Promise<readonly Record<string, string>[]> {
    const payload = { repo: containerPaths.repo };
    const answer = await this.#told(checkRequests.bodies, { payload, input: files }, signal);
    return files.map((_, at) => answer?.files[at]?.functions ?? {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const check = this.#check;
    if (check === null || !this.#isAsItWas || check.container.isLost) return this.#end();
    this.#check = null;
    await this.place.putBack(check);
  }

  async #end(): Promise<void> {
    const check = this.#check;
    this.#check = null;
    this.#isAsItWas = false;
    await check?.[Symbol.asyncDispose]();
  }

  /** Returns null when it cannot be told; callers then use a more expensive way. */
  async #told<Payload extends object, Input, Report>(
    request: ZygoteRequest<Payload, Input, Report>,
    fields: RequestFields<NoInfer<Payload>, NoInfer<Input>>,
    signal: AbortSignal,
  ): Promise<Report | null> {
    try {
      return await againAfterSleep(async () => (await this.#container(signal)).zygote.ask(request, fields, signal));
    } catch (error) {
      if (!(error instanceof HandsLost)) throw error;
      await this.#end();
      return null;
    }
  }

  async #container(signal: AbortSignal): Promise<WarmCheck> {
    if (this.#check?.container.isLost === true) await this.#end();
    this.#check ??= await this.place.take(signal);
    return this.#check;
  }

  /** Returns null when the container was lost. */
  async #attempt(run: SuiteRun, signal: AbortSignal): Promise<SuiteReport | null> {
    try {
      const check = await this.#container(signal);
      const wasAsItWas = this.#isAsItWas;
      // a run that never returns may still be going on
      this.#isAsItWas = false;
      await this.place.fresh(check, run, signal);
      const report = await runIn(check, run, signal);
      this.#isAsItWas = wasAsItWas && run.tree === this.place.tree;
      return report;
    } catch (error) {
      if (error instanceof HandsLost && !error.asleep) return null;
      throw error;
    }
  }
}

async function runIn({ zygote }: WarmCheck, run: SuiteRun, signal: AbortSignal): Promise<SuiteReport> {
  const { files, leftOut, budgetMs, onProgress } = run;
  const nonce = randomBytes(16).toString("hex");
  const canary = newCanary(files?.[0] ?? "conftest.py");
  const payload = { canary, nonce, seconds: Math.max(1, budgetMs / 1000) };
  const input = { files: files ?? [], left_out: leftOut };
  const timeoutMs = budgetMs + mostOverMs;
  const fields = { payload, input, timeoutMs, ...(onProgress ? { onReport: progress(onProgress) } : {}) };
  const end = await zygote.run(testRuns.suite, fields, signal);
  const { first, rest } = parted(end.report);
  const said = reportAs(suiteLine, first);
  const trusted = said?.nonce === nonce ? said : null;
  return {
    ...reportOf({ ...end, report: rest }, { nonce, canary, expected: [] }),
    notRun: trusted?.not_run ?? [],
    brokenOff: trusted?.broken_off ?? [],
    inCode: trusted?.in_code ?? [],
    rewritten: trusted?.rewritten ?? [],
  };
}

/**
 * Splits a report into the line that tells what did not run, and pytest's report; the progress before both is dropped.
 */
function parted(report: Uint8Array): { readonly first: Uint8Array; readonly rest: ZygoteEnd["report"] } {
  const from = report.indexOf(openingBrace);
  const end = from < 0 ? -1 : report.indexOf(newline, from);
  if (end < 0) return { first: new Uint8Array(), rest: new Uint8Array() };
  return { first: report.subarray(from, end), rest: report.subarray(end + 1) };
}

const longestCount = 20;

/** Reads the number of tests, which comes first, and then a dot for each that is over. */
function progress(tell: (done: number, of: number) => void): (chunk: Uint8Array) => void {
  let head = "";
  let done = 0;
  return (chunk) => {
    const text = Buffer.from(chunk).toString("latin1");
    const before = head.indexOf("\n");
    if (before < 0 && head.length > longestCount) return;
    if (before < 0) head += text;
    const at = head.indexOf("\n");
    if (at < 0) return;
    done += (before < 0 ? head.slice(at) : text).split(".").length - 1;
    tell(done, Number(head.slice(0, at)) || 0);
  };
}
