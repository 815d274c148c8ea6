import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { verificationJsonSchema } from "../../runner/index.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { git, gitLine } from "../helpers/fake-git.js";
import { startModel } from "../helpers/scripted-model.js";
import { snapshotOf } from "../helpers/session-disk.js";
import { Tilth } from "../helpers/tilth.js";

let model: ScriptedModel;
let stage: CliStage;
let id: string;

beforeAll(async () => {
  model = await startModel({ worker: doing(1) });
  stage = await CliStage.open(Tilth.endpoint(model));
  id = await stage.prepared();
  const { code, stdout, stderr } = await stage.tilth.run(["run", stage.source]);
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const fileOf = (name: string) => join(stage.tilth.home, "sessions", id, name);
const left = async () => ({
  onEngine: await stage.onEngine(),
  inHome: readdirSync(stage.tilth.home).filter((name) => name.startsWith(".verify")),
});
const nothing = { onEngine: [], inHome: [] };

async function altered(name: string, change: (text: string) => string, during: () => Promise<void>): Promise<void> {
  const before = readFileSync(fileOf(name), "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(fileOf(name), after);
  try {
    await during();
  } finally {
    writeFileSync(fileOf(name), before);
  }
}

test("an honest session agrees, and verifying it changes neither it nor the source nor the engine", async () => {
  const session = join(stage.tilth.home, "sessions", id);
  const before = { session: snapshotOf(session), source: snapshotOf(stage.source) };
  const { code, stdout, stderr } = await stage.tilth.run(["verify"]);
  expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, `session ${id} agrees with its record`]);
  expect(stderr).toBe(`the latest session is ${id}, all_done: Answer 1\nchecking T-001 again (1 of 1)\n`);
  expect(stdout).toMatch(/checks of T-001, run again on sha256:/);
  expect({ session: snapshotOf(session), source: snapshotOf(stage.source) }).toEqual(before);
  expect(await left()).toEqual(nothing);
});

test("an altered byte of a staged test, an altered commit and an altered ledger are named, and nothing else", async () => {
  const inside = { cwd: stage.source };
  const ref = `refs/heads/session/${id}`;
  const tip = await gitLine(["rev-parse", ref], inside);
  const tree = await gitLine(["rev-parse", `${ref}^{tree}`], inside);
  const who = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a" };
  const other = await gitLine(["commit-tree", tree, "-p", `${tip}^`, "-m", "T-001: Answer 1"], { ...inside, env: who });
  await git(["update-ref", ref, other], inside);
  const verified = () => stage.tilth.run(["verify", id, "--json"]);
  await altered(
    "seed/test_t001_answer.py",
    (text) => text.replace("== 1", "== 9"),
    () =>
      altered(
        "ledger/T-001.jsonl",
        (text) => text.replace('"verdict":"accept"', '"verdict":"reject"'),
        async () => {
          const { code, stdout } = await verified();
          const { differs, agrees } = verificationJsonSchema.parse(JSON.parse(stdout));
          expect([code, agrees]).toEqual([1, false]);
          expect(differs.map(({ what, where }) => `${what}: ${where}`)).toEqual([
            "ledger of T-001: ledger/T-001.jsonl line 1, verdict.verdict",
            `commit of T-001: ${ref}, commit 2 above the base`,
            expect.stringMatching(/^staged test: seed\/test_t001_answer\.py line 5, byte \d+$/),
          ]);
          expect(differs[1]).toMatchObject({ expected: expect.stringContaining(tip), seen: other });
        },
      ),
  );
  await git(["update-ref", ref, tip], inside);
  expect(await left()).toEqual(nothing);
});

test("without the recorded image on the engine, verify says what it compares instead", async () => {
  const image = (JSON.parse(readFileSync(fileOf("checkpoint.json"), "utf8")) as { image: string }).image;
  const unknown = `sha256:${"0".repeat(64)}`;
  const gone = (text: string) => text.replaceAll(image, unknown);
  await altered("checkpoint.json", gone, () =>
    altered("events.jsonl", gone, async () => {
      const { code, stdout } = await stage.tilth.run(["verify", id]);
      expect(code).toBe(0);
      expect(stdout).toContain(`the recorded image ${unknown} is not there`);
      expect(stdout).toContain(`run again on ${image}`);
    }),
  );
});

test("Ctrl-C ends verify with 130 and nothing left; without an engine it exits 2, or 1 if something differs anyway", async () => {
  const running = stage.tilth.start(["verify", id]);
  await running.said(/checking T-001 again/);
  running.process.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(await left()).toEqual(nothing);

  const away = { DOCKER_HOST: "unix:///nowhere/docker.sock" };
  const unproved = await stage.tilth.run(["verify", id], away);
  expect(unproved).toMatchObject({ code: 2, stdout: "" });
  expect(unproved.stderr).toMatch(/tilth: no container engine answers at .*\n {2}→ /);
  await altered(
    "progress.txt",
    (text) => text.replace("done", "failed:iter_cap"),
    async () => {
      const { code, stdout } = await stage.tilth.run(["verify", id], away);
      expect(code).toBe(1);
      expect(stdout).toContain("differs  progress: progress.txt line 1\n");
      expect(stdout).toContain("not every check was run again: no container engine answers");
    },
  );
});
