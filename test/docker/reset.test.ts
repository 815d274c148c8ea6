import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { Turn } from "../../runner/demo/script/script.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { gitLine } from "../helpers/fake-git.js";
import { keep } from "../helpers/kept-session.js";
import { expectGone, pathIn, type Standing, standing, tipOf, typed } from "../helpers/resets.js";
import { startModel } from "../helpers/scripted-model.js";
import { deepFolders } from "../helpers/session-hostile-worker.js";
import { bash } from "../helpers/session-play.js";
import { Tilth } from "../helpers/tilth.js";

// whatever state a session is in, one command removes it and leaves everything else as it was

const killer = join(packageFolder, "test", "helpers", "killer.js");
let model: Awaited<ReturnType<typeof startModel>>;
let stage: CliStage;
let worker: Turn[] = [];
/** the machine before anything was staged */
let untouched: Standing;
/** a session staged once, and put back for each test that needs it */
let prepared: string;
let putBack: () => Promise<void>;

beforeAll(async () => {
  model = await startModel({ worker: () => worker.shift() ?? { quiet: "Done." } });
  stage = await CliStage.open(Tilth.endpoint(model));
  untouched = standing(stage);
  prepared = await stage.prepared();
  putBack = await keep(stage, prepared);
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const inSource = () => ({ cwd: stage.source });
const reset = (...args: readonly string[]) => stage.tilth.run(["reset", ...args]);

describe("reset with two prepared sessions", () => {
  let beside: Standing;
  let other: string;
  let id: string;

  beforeAll(async () => {
    other = prepared;
    beside = standing(stage);
    id = await stage.prepared("--keep-existing");
  });

  test("takes the newest without an id, and without -y or a person removes nothing and names the command", async () => {
    const before = standing(stage);
    for (const args of [[], [id]]) {
      const { code, stderr } = await reset(...args);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`tilth: removing session .* needs a yes.*\\n {2}→ tilth reset ${id} -y\\n$`));
    }
    expect(standing(stage)).toEqual(before);
    expect([id, other].map((each) => statusOf(each))).toEqual(["prepared", "prepared"]);
  });

  test("removes the newest whole, keeps the one beside it, and prints the command that brings the branch back", async () => {
    const tip = await tipOf(stage, id);
    const { code, stdout, stderr } = await reset("-y");
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      `session ${id} is gone; its branch was at ${tip}, 1 commit of it merged nowhere`,
    ]);
    expect(stderr).toContain(`the latest session is ${id}, prepared: Answer 1\n`);
    const undo = /^bring its branch back: (git -C .* branch session\/\S+ [0-9a-f]{40})$/m.exec(stdout)?.[1] ?? "";
    expect(stderr).toContain(undo);
    expect(stage.tilth.sessions()).toEqual([other]);
    await expectGone(stage, id, beside);
    expect((await reset(id, "-y")).code).toBe(2);
    await expectGone(stage, id, beside);
    typed(undo);
    expect(await tipOf(stage, id)).toBe(tip);
    await gitLine(["update-ref", "-d", `refs/heads/session/${id}`], inSource());
  });

  test("does not count commits that another branch holds as lost", async () => {
    const tip = await tipOf(stage, other);
    await gitLine(["branch", "kept", `session/${other}`], inSource());
    const { code, stdout } = await reset(other, "-y");
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`its branch was at ${tip}, all of it merged elsewhere\n`),
    ]);
    expect(await gitLine(["rev-parse", "kept"], inSource())).toBe(tip);
    await gitLine(["update-ref", "-d", "refs/heads/kept"], inSource());
    await expectGone(stage, other, untouched);
  });
});

const statusOf = (id: string): string => JSON.parse(readFileSync(pathIn(stage, id, "checkpoint.json"), "utf8")).status;

const killed = async (verb: readonly string[], fatal: string) => {
  const log = join(stage.tilth.root, "steps");
  writeFileSync(log, "");
  const env = { NODE_OPTIONS: `--import ${killer}`, KILLER_LOG: log, KILLER_FROM: fatal, KILLER_STEP: "1" };
  expect((await stage.tilth.run(verb, env)).code).toBeNull();
};
const preparing = async (fatal: string) => {
  await killed(["seed", stage.source, "--from", stage.seed], fatal);
  return stage.tilth.sessions()[0] ?? "none";
};
const ran = async (turns: readonly Turn[]) => {
  await putBack();
  worker = [...turns];
  await stage.tilth.run(["run", "--session", prepared, "--quiet"]);
  return prepared;
};

const states: readonly (readonly [status: string, make: () => Promise<string>])[] = [
  ["preparing", () => preparing('"worktree","add"')],
  ["preparing", () => preparing("/prd.json")],
  ["failed", () => ran([])],
  ["all_done", () => ran(doing(1))],
];

test.each(states)(
  "the reset of a session that is %s leaves nothing in the source but objects",
  async (status, make) => {
    const id = await make();
    expect(statusOf(id)).toBe(status);
    const ended = await reset(id, "-y");
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    await expectGone(stage, id, untouched);
  },
);

test("a held session is left alone and its holder named; later its closed or very deep folders are removed too", async () => {
  await putBack();
  worker = [
    { calls: [bash(`python - <<'END'\n${deepFolders}\nEND`), bash("mkdir -p closed/inner; chmod 000 closed")] },
    { calls: [bash("sleep 300")] },
  ];
  const running = stage.tilth.start(["run", "--session", prepared]);
  await running.said(/bash sleep 300/);
  const held = await reset(prepared, "-y");
  expect([held.code, existsSync(pathIn(stage, prepared, "prd.json"))]).toEqual([3, true]);
  expect(held.stderr).toMatch(new RegExp(`^tilth: session ${prepared} is in use by process ${running.process.pid} `));
  running.process.kill("SIGKILL");
  await running.ended;
  const ended = await reset(prepared, "-y");
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  await expectGone(stage, prepared, untouched);
});

test("when the source is gone, or no repository any more, the rest is removed and the remaining branch is named", async () => {
  const { source, tilth } = stage;
  for (const gone of [join(source, ".git"), source]) {
    await putBack();
    rmSync(gone, { recursive: true });
    const { code, stderr, stdout } = await reset(prepared, "-y");
    expect([code, stdout]).toEqual([0, `session ${prepared} is gone\n`]);
    expect(stderr).toContain(`the branch session/${prepared} of '${source}' cannot be removed`);
    expect([tilth.sessions(), await stage.onEngine()]).toEqual([[], []]);
  }
});
