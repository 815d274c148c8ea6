import { afterAll, beforeAll, expect, test } from "vitest";
import type { CommitId } from "../../runner/base/ids.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, numbers, partsProject, partTask, taskId } from "../helpers/session-parts.js";
import { bash, Play, present, reply } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

// a person's work in the source while a session runs on it

const solved = (n: number) => [reply([honestPart(n), present()])];
const play = new Play({
  "T-001": solved(1),
  "T-002": solved(2),
  "T-003": [reply([bash("git log --oneline | wc -l"), honestPart(3), present()])],
});

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];
let moved: CommitId;

/** Does housekeeping and work of their own after the first check, and moves the session's branch after the third. */
function person(event: TilthEvent): void {
  const { repo } = world;
  if (event.type !== "check_run") return;
  if (event.payload.task_id === "T-001") {
    repo.files({ "mine.txt": "mine\n" }).commit("my own work");
    repo.git("gc", "--quiet", "--prune=now");
    repo.git("pack-refs", "--all", "--prune");
  }
  if (event.payload.task_id === "T-003") {
    moved = repo.head;
    repo.git("update-ref", `refs/heads/session/${files.id}`, moved);
  }
}

beforeAll(async () => {
  world = await SessionWorld.open({
    files: partsProject(3),
    tasks: numbers(3).map((n) => partTask(n)),
    script: { worker: play.worker },
  });
  files = await world.stage();
  world.onEvent(person);
  end = await world.run(files);
  log = await wholeLog(files);
});
afterAll(() => world?.[Symbol.asyncDispose]());

test("the person's own commits and garbage collection do not touch the session, nor it them", () => {
  expect(play.surprises).toEqual([]);
  expect(of(log, "commit").map(({ task_id }) => task_id)).toEqual([taskId(1), taskId(2)]);
  const last = of(log, "commit").at(-1)?.sha ?? "";
  const subjects = world.repo.git("log", "--format=%s", last).trim().split("\n");
  expect(subjects).toEqual(["T-002: Part 2", "T-001: Part 1", expect.stringMatching(/^seed: /), "base"]);
  expect(world.repo.git("log", "--format=%s", "main").trim().split("\n")).toEqual(["my own work", "base"]);
  expect(world.repo.git("status", "--porcelain").trim()).toBe("");
});

test("a branch that somebody moved stops the session with both ids, and is left where it is", () => {
  const last = of(log, "commit").at(-1)?.sha ?? "";
  expect(end.stop.reason).toBe("branch_moved");
  expect(`${end.stop.detail} ${end.stop.hint}`).toContain(last);
  expect(end.stop.detail).toContain(moved);
  expect(world.repo.git("rev-parse", `session/${files.id}`).trim()).toBe(moved);
  expect(files.loadPrd().map(({ status }) => status)).toEqual(["done", "done", "pending"]);
  expect(files.loadCheckpoint()).toMatchObject({ status: "running", last_commit: last });
});

test("the command that was given puts the branch back, with every accepted task", async () => {
  const last = of(log, "commit").at(-1)?.sha ?? "";
  const command = /git -C \S+ (.*)$/.exec(end.stop.hint)?.[1]?.split(" ") ?? [];
  world.repo.git(...command);
  expect(world.repo.git("rev-parse", `session/${files.id}`).trim()).toBe(last);
  world.repo.git("fsck", "--strict", "--no-dangling");
});

test("nothing changed besides what the person changed", async () => {
  await oracle(world, files, end, { personChanged: [/^mine\.txt$/, /^\.git\/(?!config|hooks|HEAD)/] });
});
