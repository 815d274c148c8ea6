import { expect } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { TilthError } from "../../runner/base/errors.js";
import { engineAddress } from "../../runner/hands/docker/engine/engine-address.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import { type EngineFault, EngineProxy } from "./engine-proxy.js";
import { of, oracle, wholeLog } from "./session-oracle.js";
import { honestPart, partsProject, partTask } from "./session-parts.js";
import { bash, Play, present, reply } from "./session-play.js";
import { SessionWorld } from "./session-world.js";

/** The end of a run in which one request to the engine was spoilt. */
export interface Spoilt {
  /** the requests to the engine; the spoilt one is among them, unless there were fewer */
  readonly asked: readonly string[];
  /** the run's stop, or the refusal before it could begin */
  readonly end: string;
}

/**
 * Runs a session of one task, spoils the engine's answer to the nth request of the run, and then goes on to its end.
 * Throws if that cost more than time.
 */
export async function spoilt(nth: number, fault: EngineFault): Promise<Spoilt> {
  const address = engineAddress(loadSettings());
  if (address.kind !== "socket") throw new Error("the proxy stands before a socket");
  await using proxy = await EngineProxy.before(address.path);
  // the worker says the same each time it is asked, because a call may have been answered with a restart
  const solved = reply([honestPart(1), bash("true"), present()]);
  const play = new Play({ "T-001": [solved, solved, solved, solved] });
  await using world = await SessionWorld.open({
    files: partsProject(1),
    tasks: [partTask(1)],
    script: { worker: play.worker },
    env: { DOCKER_HOST: proxy.dockerHost },
  });
  const files = await world.stage();
  proxy.arm({ nth, fault });
  const first = await run(world, files);
  const asked = [...proxy.asked];
  proxy.arm(null);
  expect(await world.containers(), "no container is left").toEqual([]);
  const end = "stop" in first ? first.stop.reason : first.refused;
  expect(["all_done", "infra", "usage"]).toContain(end);
  const last = "stop" in first && end === "all_done" ? first : await goOn(world, files);
  await oracle(world, files, last);
  const log = await wholeLog(files);
  expect(of(log, "task_failed")).toEqual([]);
  expect(of(log, "check_run").map(({ passed }) => passed)).not.toContain(false);
  expect(files.loadPrd().map(({ status }) => status)).toEqual(["done"]);
  return { asked, end };
}

/** The run's end, or the reason why it did not begin. */
async function run(world: SessionWorld, files: SessionFiles): Promise<RunEnd | { readonly refused: string }> {
  try {
    return await world.run(files);
  } catch (error) {
    if (!(error instanceof TilthError)) throw error;
    return { refused: error.code };
  }
}

async function goOn(world: SessionWorld, files: SessionFiles): Promise<RunEnd> {
  const isPrepared = files.loadCheckpoint().status === "prepared";
  const end = await (isPrepared ? world.run(files) : world.resume(files));
  expect(end.stop, end.stop.detail).toMatchObject({ reason: "all_done" });
  return end;
}
