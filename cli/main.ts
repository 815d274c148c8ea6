#!/usr/bin/env node
import { Interrupted, TilthError } from "../runner/errors.js";
import { exitBug, exitCodeOfError, exitInterrupted } from "./exit-codes.js";
import { Output } from "./output.js";
import { runCommandLine } from "./program.js";

/** npm passes a Ctrl-C on to a process that the terminal has sent it to already */
const sameKeyMs = 300;

const stopping = new AbortController();
let stoppedAt = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (stopping.signal.aborted && performance.now() - stoppedAt > sameKeyMs) process.exit(exitInterrupted);
    if (!stopping.signal.aborted) stoppedAt = performance.now();
    stopping.abort(new Interrupted());
  });
process.on("uncaughtException", (error) => void end(report(error)));

const output = new Output();
await end(await runCommandLine(process.argv.slice(2), { output, signal: stopping.signal }).catch(report));

async function end(code: number): Promise<never> {
  await output.drain(stopping.signal);
  process.exit(code);
}

function report(error: unknown): number {
  if (stopping.signal.aborted || error instanceof Interrupted) {
    output.say("tilth: interrupted");
    return exitInterrupted;
  }
  if (error instanceof TilthError) {
    output.say(`tilth: ${error.message}`);
    if (error.hint) output.say(`  → ${error.hint}`);
    return exitCodeOfError(error.code);
  }
  output.say("tilth: this is a bug in tilth; please report it with what follows");
  output.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return exitBug;
}
