import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import { hostilePlay, mark } from "../helpers/session-hostile-worker.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { numbers, partsProject, partTask } from "../helpers/session-parts.js";
import { Play } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

const play = new Play(hostilePlay);
const settings = { TILTH_TOOL_TIMEOUT_SECONDS: "7", TILTH_SANDBOX_PIDS: "128", TILTH_SANDBOX_MEMORY: "512m" };

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let longestLagMs = 0;

beforeAll(async () => {
  world = await SessionWorld.open({
    files: partsProject(4),
    tasks: numbers(4).map((n) => partTask(n)),
    script: { worker: play.worker },
    env: settings,
  });
  files = await world.stage();
  const stop = watchLag();
  end = await world.run(files);
  stop();
}, 400_000);
afterAll(() => world?.[Symbol.asyncDispose]());

/** Measures how long the brain itself blocks its loop; time spent in the queue for a core is not counted. */
function watchLag(): () => void {
  const beatMs = 50;
  let last = performance.now();
  let waited = waitedForCoreMs();
  const timer = setInterval(() => {
    const [now, waitedNow] = [performance.now(), waitedForCoreMs()];
    longestLagMs = Math.max(longestLagMs, now - last - beatMs - (waitedNow - waited));
    [last, waited] = [now, waitedNow];
  }, beatMs);
  return () => clearInterval(timer);
}

/** The waiting time of this thread; 0 if the kernel does not tell. */
function waitedForCoreMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

test("each attack costs its own call at most, and every task is done", async () => {
  expect(play.surprises).toEqual([]);
  expect(end.stop.reason).toBe("all_done");
  await oracle(world, files, end);
});

test("nothing that a worker started is alive afterwards", () => {
  const pids = existsSync("/proc/self") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const commands = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1");
    } catch {
      return "";
    }
  });
  expect(commands.filter((command) => command.includes(mark))).toEqual([]);
});

test("the brain stays responsive throughout", () => {
  expect(longestLagMs).toBeLessThan(1000);
});

test("commits hold what was asked for, with modes as git has them", async () => {
  const log = await wholeLog(files);
  const changed = of(log, "commit").map(({ sha }) =>
    world.repo.git("diff-tree", "-r", sha).trim().split("\n").slice(1),
  );
  expect(changed.map((lines) => lines.map((line) => line.split("\t")[1]))).toEqual(
    numbers(4).map((n) => [`parts/p${n}.py`]),
  );
  expect(changed[2]?.[0]).toMatch(/^:100644 100755 /);
});

test("repositories left behind the ignore rules are reported and made harmless", () => {
  const repositories = [".venv/.git", `.venv/${"d/".repeat(150)}.git`, ".venv/deep.git"];
  expect([...end.renamed].sort()).toEqual(repositories.flatMap((path) => [`${path}/config`, `${path}/hooks`]));
});
