// Holds an interview of fixed questions with whoever sits at the terminal, and writes the answers to a file.
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { confirm } from "@clack/prompts";
import { TerminalFrontend } from "../../cli/frontend/terminal.js";
import { Output } from "../../cli/output/output.js";
import { Interrupted } from "../../runner/base/errors.js";

interface Script {
  readonly questions: readonly {
    readonly ask?: string;
    readonly options?: readonly string[];
    readonly permit?: string;
  }[];
  /** a file; until it exists, only the first question is asked */
  readonly awaits?: string;
  /** takes early keys for answers, and asks for permission with an ordinary component */
  readonly naive?: boolean;
}

const [, , script = "{}", told = "/dev/null"] = process.argv;
const { questions, awaits, naive = false } = JSON.parse(script) as Script;
const output = new Output();
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stopping.abort(new Interrupted()));
const frontend = new TerminalFrontend(output, (answer) => !naive && answer.includes("sk-"));
const came: unknown[] = [];
try {
  for (const [at, { ask = "", options = [], permit }] of questions.entries()) {
    frontend.updateTokens(1_000 * (at + 1), 234);
    if (at > 0 && awaits !== undefined) await appeared(awaits);
    came.push(
      permit === undefined
        ? await frontend.askUser(ask, options, stopping.signal)
        : naive
          ? await confirm({ message: permit, initialValue: false })
          : await frontend.permit(permit, stopping.signal),
    );
  }
  frontend.showSummary({ tldr: "- prices in EUR", openQuestions: ["who rounds?"], blockers: [] });
} catch (error) {
  came.push(error instanceof Interrupted ? "interrupted" : String(error));
}
/** Waits for the file, and a little longer, for keys that were pressed before. */
async function appeared(path: string): Promise<void> {
  while (!existsSync(path)) await wait(20);
  await wait(100);
}

await output.drain(stopping.signal);
writeFileSync(told, JSON.stringify(came));
process.exit(0);
