import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./engine-address.js";
import { handedOn } from "./host.js";
import { SetUpStopped, say } from "./say.js";

const patienceMs = 180_000;

/**
 * Starts dockerd where nothing else does, also after it was killed: it then finds process ids on file that may be
 * another program's by now, and refuses to start, or waits for a containerd that does not exist.
 */
export async function startDaemon({ address, args = [], runFolder = "/var/run", log = "/var/log/dockerd.log" }) {
  const daemonPid = `${runFolder}/docker.pid`;
  clearStalePid(daemonPid, "dockerd");
  clearStalePid(`${runFolder}/docker/containerd/containerd.pid`, "containerd");
  if ((await ask(address, "/_ping")).status === 200) return;
  const running = existsSync(daemonPid);
  say(running ? "waiting for the container engine, which is running but silent" : `starting dockerd (its log: ${log})`);
  const daemon = running ? { exited: false } : launch(args, log);
  await untilItAnswers(address, daemon, log);
}

export function clearStalePid(file, program) {
  if (existsSync(file) && nameOf(readFileSync(file, "utf8").trim()) !== program) rmSync(file, { force: true });
}

/** Null for a process that is gone, or that is dead and not yet collected, which dockerd takes for alive. */
function nameOf(pid) {
  try {
    const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return state === "Z" ? null : name;
  } catch {
    return null;
  }
}

function launch(args, log) {
  const output = openSync(log, "a");
  // the engine runs itself twice more for each container: 38 ms of CPU each time with Go's default, and 22 with this
  const env = { GOGC: "400", ...handedOn() };
  const child = spawn("dockerd", args, { detached: true, stdio: ["ignore", output, output], env });
  const daemon = { exited: false };
  for (const event of ["exit", "error"])
    child.on(event, () => {
      daemon.exited = true;
    });
  child.unref();
  closeSync(output);
  return daemon;
}

async function untilItAnswers(address, daemon, log) {
  const since = Date.now();
  for (let told = since; (await ask(address, "/_ping")).status !== 200; await sleep(200)) {
    const now = Date.now();
    if (daemon.exited || now - since > patienceMs)
      throw new SetUpStopped(
        `the container engine ${daemon.exited ? "ended at once" : "does not answer"}: ${lastLine(log)}`,
        `tail -50 ${log}`,
      );
    if (now - told < 10_000) continue;
    told = now;
    say(`still waiting for the container engine (${Math.round((now - since) / 1000)} s)`);
  }
}

function lastLine(log) {
  if (!existsSync(log)) return "it left no log";
  return readFileSync(log, "utf8").trim().split("\n").at(-1);
}
