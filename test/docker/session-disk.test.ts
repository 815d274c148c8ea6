import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodeOfStop } from "../../cli/output/exit-codes.js";
import { repoVolumeOf } from "../../runner/hands/docker/container/labels.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask } from "../helpers/session-parts.js";
import { bash, Play, present, reply } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";
import { canMount, SmallDisk } from "../helpers/small-disk.js";

const filled = /^stopped: the disk is nearly full; it and everything it started was killed\n.*filler \(\d+ MB\)/;
const emptied = "rm filler; head -c 60M /dev/zero > much; rm much; echo room";

/** the result does not fit into the space left in the last page of the log */
const talkative = "echo somebody else; head -c 6000 /dev/zero | tr '\\0' x";

const play = new Play({
  "T-001": [reply([bash(talkative)]), reply([honestPart(1), present()])],
  "T-002": [
    reply([bash("head -c 104M /dev/zero > filler; sleep 60")]),
    reply([bash("ls"), bash(emptied)], filled),
    reply([honestPart(2), present()], /^exit code 0\ncareful: the disk is nearly full\n/, /^exit code 0\nroom\n/),
  ],
});

let disk: SmallDisk;
let world: SessionWorld;
let files: SessionFiles;
let stopped: RunEnd;
let stoppedLog: readonly TilthEvent[];
let end: RunEnd;

async function leave(): Promise<void> {
  const ids = world.sessions();
  for (const id of await world.containers()) await world.engine.docker.getContainer(id).remove({ force: true });
  const volumes = ids.map((id) => world.engine.docker.getVolume(repoVolumeOf(id)));
  await Promise.all(volumes.map((volume) => volume.remove().catch(() => undefined)));
  disk[Symbol.dispose]();
  await world[Symbol.asyncDispose]();
}

/** The next step of a person. */
async function afterwards(): Promise<RunEnd> {
  return await world.resume(files);
}

describe.runIf(canMount)("a home on a disk of 128 MB", () => {
  beforeAll(async () => {
    world = await SessionWorld.open({
      files: partsProject(2),
      tasks: [partTask(1), partTask(2)],
      script: { worker: play.worker },
      spoil: (repo) => {
        disk = new SmallDisk(128, repo.tilthHome);
      },
    });
    files = await world.stage();
    world.onEvent(({ type, payload }) => {
      if (type === "tool_call" && JSON.stringify(payload.args).includes("somebody else")) disk.fill();
    });
    stopped = await world.run(files);
    stoppedLog = await wholeLog(files);
    disk.empty();
    end = await afterwards();
  });
  afterAll(leave);

  test("ends the run with exit 5, naming trouble and remedy, when somebody else fills it to the last file", () => {
    expect([stopped.stop.reason, exitCodeOfStop(stopped.stop.reason)]).toEqual(["infra", 5]);
    expect(stopped.stop.detail).toMatch(/events\.jsonl: no space is left on the disk \(ENOSPC\)$/);
    expect(stopped.stop.hint).toBe("free some space on that disk, then try again");
    expect(stoppedLog.at(-1)).toMatchObject({ type: "stop", payload: stopped.stop });
    expect(stopped.summary.stop?.reason).toBe("infra");
    expect(of(stoppedLog, "task_failed")).toEqual([]);
  });

  test("is not filled by a worker, which is told, goes on, and may use what there is", () => {
    expect(play.surprises).toEqual([]);
  });

  test("lets the session finish all tasks once there is room again", () => {
    expect([end.stop.reason, files.loadPrd().map(({ status }) => status)]).toEqual(["all_done", ["done", "done"]]);
    const subjects = world.repo.git("log", "--format=%s", `main..session/${files.id}`).trim().split("\n");
    expect(subjects.filter((subject) => subject.startsWith("T-"))).toEqual(["T-002: Part 2", "T-001: Part 1"]);
  });
});
