// Is loaded before a program of ours and kills it just before one of its steps. A step is a name changed on the disk or
// a program started; with KILLER_REMOVALS, removals and orders to the engine are steps too.
import childProcess from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";

const {
  KILLER_LOG: log,
  KILLER_FROM: from = "",
  KILLER_STEP: fatal,
  KILLER_SIGNAL: signal = "SIGKILL",
  KILLER_REMOVALS: removals,
} = process.env;
/**
 * Ctrl-C goes to everything that the terminal has in front, also just after a program was started, so the process has
 * to be first of its group.
 */
const isKey = signal === "SIGINT";
/** the lock's heartbeat depends on the clock, so it is not a step */
const ofTheLock = /\/lock\b/;
const { appendFileSync } = fs;
let step = 0;

/** `from`: words in the first step that counts; `fatal`: the number of the fatal step. */
function count(said) {
  if (step === 0 && !said.includes(from)) return;
  step += 1;
  appendFileSync(log, `${said}\n`);
  if (fatal === String(step)) process.kill(isKey ? 0 : process.pid, signal);
}

function watch(module, name) {
  const real = module[name];
  module[name] = (...args) => {
    const said = JSON.stringify([name, ...args.slice(0, 2)]);
    if (ofTheLock.test(said)) return real(...args);
    count(said);
    const result = real(...args);
    if (isKey && module === childProcess) count(`started ${said}`);
    return result;
  };
}

/** GET requests change nothing and are not steps. */
function watchRequests() {
  const real = http.request;
  http.request = (options, ...rest) => {
    if (options.method !== "GET") count(`${options.method} ${options.path}`);
    return real(options, ...rest);
  };
}

for (const name of ["linkSync", "mkdirSync", "renameSync", "unlinkSync"]) watch(fs, name);
watch(childProcess, "spawn");
if (removals) {
  for (const name of ["rmSync", "rmdirSync"]) watch(fs, name);
  watchRequests();
}
syncBuiltinESMExports();
