// Is loaded before a session's process: counts every call that changes the disk and every program that is started, and
// kills the process just before the one that KILLED_AT names.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const fatal = Number(process.env.KILLED_AT);
const log = process.env.KILLED_LOG;
const { appendFileSync } = fs;
/** the lock's heartbeat depends on the clock, so it is not counted */
const ofTheLock = /\/lock\b/;
/** paths that are open for writing, by descriptor */
const written = new Map();
let step = 0;

function count(name, about) {
  if (ofTheLock.test(about)) return;
  step += 1;
  if (log) appendFileSync(log, `${name} ${about}\n`);
  if (step === fatal) process.kill(process.pid, "SIGKILL");
}

const { O_WRONLY, O_RDWR } = fs.constants;
const openSync = fs.openSync;
fs.openSync = (path, flags, ...rest) => {
  const writes = typeof flags === "number" && (flags & (O_WRONLY | O_RDWR)) !== 0;
  if (writes) count("open", String(path));
  const fd = openSync(path, flags, ...rest);
  if (writes) written.set(fd, String(path));
  else written.delete(fd);
  return fd;
};
for (const name of ["writeSync", "fsyncSync", "ftruncateSync"]) {
  const real = fs[name];
  fs[name] = (fd, ...rest) => {
    const path = written.get(fd);
    if (path !== undefined) count(name, path);
    return real(fd, ...rest);
  };
}
for (const name of ["linkSync", "mkdirSync", "renameSync", "rmdirSync", "unlinkSync"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    count(name, String(path));
    return real(path, ...rest);
  };
}
const spawn = childProcess.spawn;
childProcess.spawn = (command, ...rest) => {
  count("spawn", `${command} ${JSON.stringify(rest[0])}`);
  return spawn(command, ...rest);
};
syncBuiltinESMExports();
