import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TilthError } from "../../runner/base/errors.js";
import type { RunEnd, SessionFiles } from "../../runner/index.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { hostileSource, oddNames, play } from "../helpers/session-hostile-source.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask } from "../helpers/session-parts.js";
import { Play, present, reply, textOf } from "../helpers/session-play.js";
import { honey, SessionWorld } from "../helpers/session-world.js";

let world: SessionWorld;
let files: SessionFiles;
let end: RunEnd;
let log: readonly TilthEvent[];

beforeAll(async () => {
  world = await SessionWorld.open(hostileSource);
  files = await world.stage();
  end = await world.run(files);
  log = await wholeLog(files);
});
afterAll(() => world?.[Symbol.asyncDispose]());

function answerTo(tool: string): string {
  return of(log, "tool_result").find((one) => one.tool === tool)?.content ?? "";
}

test("the session is done, and nothing of the source ran on the host", async () => {
  expect(play.surprises).toEqual([]);
  expect(answerTo("glob")).toMatch(/^"?\\x1b\[31mred|line\\nbreak\.txt/m);
  expect(answerTo("read_file")).toMatch(/^AGENTS\.md: outside the workspace/);
  expect(answerTo("bash")).toMatch(/AGENTS\.md: No such file[\s\S]*transport 'ext' not allowed/);
  expect(end.stop.reason).toBe("all_done");
  await oracle(world, files, end);
});

test("files keep their names and bytes through the worktree and into the commit", () => {
  const listed = world.repo
    .pipe("", "ls-tree", "-r", "-z", "--name-only", `session/${files.id}`)
    .toString("latin1")
    .split("\0");
  const kept = oddNames.filter((name) => name.toString() !== ":(glob)*").map((name) => name.toString("latin1"));
  expect(kept.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed).toContain('new\n"\xff.txt');
  const changes = world.repo.pipe(
    "",
    "diff-tree",
    "-r",
    "-z",
    "--name-status",
    `session/${files.id}~1`,
    `session/${files.id}`,
  );
  expect(changes.toString("latin1").split("\0").length).toBe(2 * 7 + 1);
  expect(world.repo.git("show", `session/${files.id}:line\nbreak.txt`)).toBe("$& changed $$\n");
});

test("no prompt holds what a link of the repository points at, and a huge context file is cut, not dropped", () => {
  for (const request of world.model.requests) expect(textOf(request)).not.toContain(honey);
  for (const role of ["worker", "evaluator"] as const) {
    const [request] = world.model.of(role);
    const text = request ? textOf(request) : "";
    expect(text).toContain("HUGE-START");
    expect(text).toMatch(/\[cut here: \d+ bytes in all\]/);
    expect(text.length).toBeLessThan(60_000);
  }
});

const unprintable = ["\u001b", "\u202e"];

test("titles and cases cannot forge a trailer, an escape or a section", () => {
  const [commit] = of(log, "commit");
  const message = world.repo.git("log", "-1", "--format=%B", commit?.sha ?? "");
  expect(unprintable.filter((mark) => message.includes(mark))).toEqual([]);
  expect(message.split("\n")[0]).toMatch(/^T-001: Part .*Tilth-Task: T-999/);
  expect(world.repo.git("log", "-1", "--format=%(trailers:key=Tilth-Task,valueonly)", commit?.sha ?? "").trim()).toBe(
    "T-001",
  );
  for (const name of ["progress.txt", "proposed-learnings.md"]) {
    if (!readdirSync(files.paths.folder).includes(name)) continue;
    const text = readFileSync(join(files.paths.folder, name), "utf8");
    expect(unprintable.filter((mark) => text.includes(mark))).toEqual([]);
  }
  const [request] = world.model.of("evaluator");
  const sections = [...(request ? textOf(request) : "").matchAll(/<<<([0-9a-f]{16})\n/g)].map(([, mark]) => mark);
  for (const mark of sections) expect(request ? textOf(request).split(`<<<${mark}\n`) : []).toHaveLength(2);
});

test("a process that a test left running is noted, and did not outlive its check", () => {
  expect(
    of(log, "check_run")
      .flatMap(({ integrity_notes }) => integrity_notes)
      .join("\n"),
  ).toMatch(/sleep 300/);
});

async function refusal(work: Promise<unknown>): Promise<TilthError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof TilthError) return error;
  throw new Error(`it was not refused: ${String(error)}`);
}

const executing = [
  "filter.evil.clean",
  "filter.evil.process",
  "diff.external",
  "diff.evil.textconv",
  "core.alternateRefsCommand",
];

test("a source whose config would run something is refused by name, and runs nothing once it is trusted", async () => {
  const honest = new Play({ "T-001": [reply([honestPart(1), present()])] });
  await using other = await SessionWorld.open({
    files: { ...partsProject(1), ".gitattributes": "* filter=evil diff=evil\n" },
    tasks: [partTask(1)],
    script: { worker: honest.worker },
  });
  const prepared = await other.stage();
  const trap = `touch ${other.markers}/config; cat`;
  for (const key of executing) {
    other.repo.config(key, trap);
    for (const attempt of [() => other.stage(), () => other.run(prepared)]) {
      const error = await refusal(attempt());
      expect(error).toMatchObject({ code: "usage", hint: expect.stringMatching(/./) });
      expect(`${error.message} ${error.hint}`.toLowerCase()).toContain(key.toLowerCase());
    }
    other.repo.git("config", "--unset", key);
  }
  expect(other.sessions()).toEqual([prepared.id]);
  expect(await other.containers()).toEqual([]);
  expect(other.repo.git("for-each-ref", "refs/heads/session", "--format=%(refname)").trim()).toBe(
    `refs/heads/session/${prepared.id}`,
  );
  expect(prepared.loadCheckpoint().status).toBe("prepared");

  for (const key of executing) other.repo.config(key, trap);
  const done = await other.run(prepared, { trustSource: true });
  expect([honest.surprises, done.stop.reason]).toEqual([[], "all_done"]);
  expect(readdirSync(other.markers)).toEqual([]);
  other.repo.tryGit("-C", prepared.paths.worktree, "checkout", "-q", "-f", "HEAD", "--", ".");
  other.repo.files({ "README.md": "changed\n" }).tryGit("diff");
  expect(readdirSync(other.markers), "a person's own git does run it").toEqual(["config"]);
});
