import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliStage } from "../helpers/cli-stage.js";
import { git } from "../helpers/fake-git.js";
import { canaryKey } from "../helpers/scripted-model.js";
import type { Env } from "../helpers/tilth.js";

const endpoint = {
  TILTH_BASE_URL: "http://127.0.0.1:9/v1",
  TILTH_API_KEY: canaryKey,
  TILTH_WORKER_MODEL: "m",
};

let stage: CliStage;
let untouched: Awaited<ReturnType<CliStage["traces"]>>;
beforeAll(async () => {
  stage = await CliStage.open();
  untouched = await stage.traces();
});
afterAll(() => stage?.[Symbol.asyncDispose]());

interface Refusal {
  readonly when: string;
  readonly args: (stage: CliStage) => readonly string[];
  readonly env?: (stage: CliStage) => Env;
  readonly says: RegExp;
  readonly remedy: RegExp;
}

/** A folder below the stage's root, made for one row. */
function made(name: string, fill: (path: string) => void): string {
  const path = join(stage.tilth.root, name);
  mkdirSync(path, { recursive: true });
  fill(path);
  return path;
}

const brokenSeed = (name: string, prd: string) =>
  made(name, (path) => {
    mkdirSync(join(path, "tests"), { recursive: true });
    writeFileSync(join(path, "prd.json"), prd);
    writeFileSync(join(path, "tests", "test_t001_a.py"), "def test_a():\n    assert False\n");
  });
const task = { id: "T-001", title: "a", description: "a", acceptance_criteria: ["a"] };
const seeding = ({ source, seed }: CliStage) => ["seed", source, "--from", seed];
const repository = (name: string) =>
  made(name, (path) => {
    spawnSync("git", ["init", "--quiet", path]);
  });

const refusals: readonly Refusal[] = [
  {
    when: "no engine answers",
    args: seeding,
    env: () => ({ DOCKER_HOST: "unix:///nowhere/docker.sock" }),
    says: /no container engine answers at \/nowhere\/docker\.sock/,
    remedy: /install and start one/,
  },
  {
    when: "the image is not built",
    args: seeding,
    env: () => ({ TILTH_BASE_IMAGE: `python@sha256:${"0".repeat(64)}` }),
    says: /the hands image is not built yet/,
    remedy: /^tilth image build$/,
  },
  {
    when: "an image of one's own is not there",
    args: seeding,
    env: () => ({ TILTH_SANDBOX_IMAGE: "no-such-image:1" }),
    says: /TILTH_SANDBOX_IMAGE names "no-such-image:1"/,
    remedy: /unset TILTH_SANDBOX_IMAGE/,
  },
  {
    when: "an image of one's own is named as none can be",
    args: seeding,
    env: () => ({ TILTH_SANDBOX_IMAGE: "Upper:1" }),
    says: /TILTH_SANDBOX_IMAGE names "Upper:1"/,
    remedy: /unset TILTH_SANDBOX_IMAGE/,
  },
  {
    when: "the engine has no such runtime",
    args: seeding,
    env: () => ({ TILTH_SANDBOX_RUNTIME: "nope" }),
    says: /the engine has no runtime "nope"/,
    remedy: /leave out --runtime and TILTH_SANDBOX_RUNTIME/,
  },
  {
    when: "the source is no repository",
    args: ({ seed }) => ["seed", made("plain", () => undefined), "--from", seed],
    says: /plain' is not a git repository/,
    remedy: /git -C .* init/,
  },
  {
    when: "the source has no commit",
    args: ({ seed }) => ["seed", repository("unborn"), "--from", seed],
    says: /unborn' has no commit to start from/,
    remedy: /commit -m/,
  },
  {
    when: "the home lies inside the source",
    args: seeding,
    env: ({ source }) => ({ TILTH_HOME: join(source, ".tilth") }),
    says: /may not lie inside one another/,
    remedy: /set TILTH_HOME/,
  },
  {
    when: "a link leads the home into the source",
    args: seeding,
    env: ({ source, tilth }) => {
      symlinkSync(source, join(tilth.root, "detour"));
      return { TILTH_HOME: join(tilth.root, "detour", "x", "y") };
    },
    says: /may not lie inside one another/,
    remedy: /set TILTH_HOME/,
  },
  {
    when: "prd.json is no JSON",
    args: ({ source }) => ["seed", source, "--from", brokenSeed("torn", "[{")],
    says: /prd\.json is not JSON/,
    remedy: /correct the seed in .*torn/,
  },
  {
    when: "prd.json lacks a field",
    args: ({ source }) => ["seed", source, "--from", brokenSeed("thin", '[{"id":"T-001"}]')],
    says: /title/,
    remedy: /correct the seed in .*thin/,
  },
  {
    when: "a task has no test",
    args: ({ source }) => {
      const seed = brokenSeed("bare", JSON.stringify([task, { ...task, id: "T-002" }]));
      return ["seed", source, "--from", seed];
    },
    says: /T-002/,
    remedy: /correct the seed in .*bare/,
  },
  {
    when: "prd.json is a pipe that nobody writes to",
    args: ({ source }) => {
      const seed = brokenSeed("pipe", "[]");
      rmSync(join(seed, "prd.json"));
      spawnSync("mkfifo", [join(seed, "prd.json")]);
      return ["seed", source, "--from", seed];
    },
    says: /prd\.json/,
    remedy: /correct the seed in .*pipe/,
  },
  {
    when: "the session is unknown",
    args: () => ["run", "--session", "20260101-000000-abcdef"],
    env: () => endpoint,
    says: /there is no session 20260101-000000-abcdef/,
    remedy: /tilth sessions/,
  },
  {
    when: "the session id leads out of the home",
    args: () => ["run", "--session", "../../etc"],
    env: () => endpoint,
    says: /"\.\.\/\.\.\/etc" is not a session id/,
    remedy: /tilth sessions/,
  },
  {
    when: "nothing is prepared",
    args: ({ source }) => ["run", source],
    env: () => endpoint,
    says: /no session of '.*' is prepared/,
    remedy: /^tilth seed '.*' --from <dir>$/,
  },
  {
    when: "a setting is garbage",
    args: seeding,
    env: () => ({ TILTH_SANDBOX_MEMORY: "plenty" }),
    says: /TILTH_SANDBOX_MEMORY must be a size such as 300m or 2g \(it is "plenty"\)/,
    remedy: /^correct TILTH_SANDBOX_MEMORY in the environment$/,
  },
];

test.each(refusals)(
  "when $when, the refusal is one sentence, one remedy and exit 2, and nothing is left",
  async (row) => {
    const args = row.args(stage);
    const env = row.env?.(stage) ?? {};
    const { code, stdout, stderr } = await stage.tilth.run(args, env);
    const [said = "", remedy = "", ...more] = stderr.split("\n");
    expect([code, stdout, more]).toEqual([2, "", [""]]);
    expect(said).toMatch(/^tilth: /);
    expect(said).toMatch(row.says);
    expect(remedy.replace(/^ {2}→ /, "")).toMatch(row.remedy);
    expect(await stage.traces()).toEqual(untouched);
    expect(existsSync(stage.tilth.home)).toBe(false);
  },
);

test("a source whose configuration would run commands is refused by name and runs nothing, unless it is trusted", async () => {
  await using own = await CliStage.open();
  const marker = join(own.tilth.root, "ran");
  for (const [key, command] of [
    ["filter.x.clean", `touch ${marker}; cat`],
    ["filter.x.smudge", `touch ${marker}; cat`],
    ["core.fsmonitor", `touch ${marker}; true`],
  ] as const)
    await git(["config", key, command], { cwd: own.source });
  writeFileSync(join(own.source, ".git", "info", "attributes"), "* filter=x\n");
  writeFileSync(join(own.source, "new.txt"), "new\n");
  await git(["add", "new.txt"], { cwd: own.source });
  expect(existsSync(marker)).toBe(true);
  rmSync(marker);
  const { code, stderr } = await own.tilth.run(["seed", own.source, "--from", own.seed]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^tilth: .*filter\.x\.clean.*\n {2}→ .*--trust-source.*\n$/);
  expect(await own.onEngine()).toEqual([]);
  await own.prepared("--trust-source");
  expect(existsSync(marker)).toBe(false);
});

test("a session that lost an acceptance test is not run, and stays as it was", async () => {
  const id = await stage.prepared();
  const folder = join(stage.tilth.home, "sessions", id, "seed");
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const { code, stderr } = await stage.tilth.run(["run", "--session", id], endpoint);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^tilth: .*no acceptance test for T-001\n {2}→ put it back.*\n$/m);
  expect(JSON.parse((await stage.tilth.run(["sessions", "--json"])).stdout)).toMatchObject([
    { id, status: "prepared" },
  ]);
});
