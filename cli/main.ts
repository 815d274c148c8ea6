#!/usr/bin/env node
import { setMaxListeners } from "node:events";
import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import { Interrupted, TilthError } from "../runner/base/errors.js";
import { errnoCode, machineTrouble } from "../runner/disk/disk-trouble.js";
import { atTerminal } from "./choosing/at-terminal.js";
import { exitBug, exitCodeOfError, exitInterrupted, exitOk } from "./output/exit-codes.js";
import { Output } from "./output/output.js";
import { runCommandLine } from "./program.js";

/** npm passes Ctrl-C on although the terminal has already sent it, so a second one within this time is the same key */
const sameKeyMs = 300;
/** whatever has not answered by then is no longer waited for, be it a disk or what containers run on */
const stopWithinMs = 9_000;
const lastWordsMs = 200;

const terminals = [0, 1, 2].filter((fd) => isatty(fd));
const stopping = new AbortController();
let stoppedAt = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    // shell, terminal and kernel each report a closed terminal, so a second SIGHUP does not mean that somebody is in a
    // hurry
    const again = stopping.signal.aborted && signal !== "SIGHUP";
    if (again && performance.now() - stoppedAt > sameKeyMs) leave(exitInterrupted);
    if (!stopping.signal.aborted) {
      stoppedAt = performance.now();
      setTimeout(leaveUnanswered, stopWithinMs).unref();
    }
    // starts a new line below the ^C that the terminal shows
    if (signal === "SIGINT" && atTerminal()) output.say("");
    stopping.abort(new Interrupted());
  });
process.on("uncaughtException", (error) => void end(report(error)));

// the stop signal has as many listeners as there are calls under way
setMaxListeners(0);

const output = new Output();
await end(await runCommandLine(process.argv.slice(2), { output, signal: stopping.signal }).catch(report));

async function end(code: number): Promise<never> {
  await output.drain(stopping.signal);
  const { trouble } = output;
  if (trouble === null) leave(code);
  const instead = sayTrouble(trouble);
  await output.drain(stopping.signal);
  leave(code === exitOk ? instead : code);
}

/**
 * At exit Node restores a terminal's settings and crashes if the terminal is gone, which leaves the API key in a core
 * file.
 */
function leave(code: number): never {
  for (const fd of terminals) if (!isatty(fd)) close(fd);
  process.exit(code);
}

function close(fd: number): void {
  try {
    closeSync(fd);
  } catch (error) {
    if (errnoCode(error) !== "EBADF") throw error;
  }
}

/** Like a second Ctrl-C: everything begun can be resumed, or is cleared at the next start. */
function leaveUnanswered(): void {
  output.say("tilth: interrupted, and not everything that is still open answers; nothing waits for it any longer");
  output.say("  → what a run had done is kept: tilth resume goes on with it");
  setTimeout(() => leave(exitInterrupted), lastWordsMs);
}

function report(thrown: unknown): number {
  const error = machineTrouble(thrown) ?? thrown;
  if (stopping.signal.aborted || error instanceof Interrupted) {
    output.say("tilth: interrupted");
    return exitInterrupted;
  }
  if (error instanceof TilthError) return sayTrouble(error);
  output.say("tilth: this is a bug in tilth; please report it with what follows");
  output.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return exitBug;
}

function sayTrouble({ message, hint, code }: TilthError): number {
  output.say(`tilth: ${message}`);
  if (hint) output.say(`  → ${hint}`);
  return exitCodeOfError(code);
}
