import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Script } from "../../runner/demo/script/script.js";
import type { TilthEvent } from "../../runner/session/log/events.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { gitLine } from "../helpers/fake-git.js";
import { ask, nameOf, seedOf, testOf } from "../helpers/interviews.js";
import { startModel } from "../helpers/scripted-model.js";
import { snapshotOf } from "../helpers/session-disk.js";
import { type CommandEnd, Tilth } from "../helpers/tilth.js";

class Interviews implements AsyncDisposable {
  private constructor(
    readonly model: Awaited<ReturnType<typeof startModel>>,
    readonly stage: CliStage,
  ) {}

  static async open(script: Script): Promise<Interviews> {
    const model = await startModel(script);
    const env = { ...Tilth.endpoint(model), TILTH_PREP_MODEL: "scripted-interviewer" };
    return new Interviews(model, await CliStage.open(env));
  }

  answers(...lines: readonly string[]): string {
    const path = join(this.stage.tilth.root, "answers.txt");
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    return path;
  }

  hold(lines: readonly string[], ...flags: readonly string[]): Promise<CommandEnd> {
    const answers = ["--answers", this.answers(...lines)];
    return this.stage.tilth.run([
      "prep-feature",
      this.stage.source,
      "--brief",
      "Answers, please.",
      ...answers,
      ...flags,
    ]);
  }

  file(id: string, name: string): string {
    return readFileSync(join(this.stage.tilth.home, "sessions", id, name), "utf8");
  }

  events(id: string): TilthEvent[] {
    return this.file(id, "events.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as TilthEvent);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
  }
}

const idIn = ({ stdout, stderr }: CommandEnd) => /\d{8}-\d{6}-[0-9a-f]{6}/.exec(stdout + stderr)?.[0] ?? "none";
const green = { test_files: { [nameOf(1)]: "def test_it():\n    assert True\n" } };

test("an interview reads, asks, learns what is wrong with its seed, and leaves a session to extend and to run", async () => {
  await using held = await Interviews.open({
    interviewer: [
      {
        calls: [
          ["read_file", { path: "AGENTS.md" }],
          ["read_file", { path: "notes.txt" }],
          ["grep", { pattern: "not committed|TOKEN" }],
        ],
      },
      ask("Which answer?", ["one", "two"]),
      ask("Anything else?"),
      seedOf([1], green),
      seedOf([1]),
      ...[seedOf([1]), seedOf([2]), { quiet: "No." }],
    ],
    worker: [...doing(1), ...doing(2)],
  });
  const { stage, model } = held;
  writeFileSync(join(stage.source, "notes.txt"), "not committed yet\n");
  writeFileSync(join(stage.source, ".env"), "TOKEN=1\n");
  const status = () => gitLine(["status", "--porcelain", "--ignored"], { cwd: stage.source });
  const before = snapshotOf(stage.source);
  const statusBefore = await status();
  const ended = await held.hold(["2", "no"]);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const id = idIn(ended);
  expect(ended.stdout).toContain(`tilth run --sandbox --session ${id}`);

  const told = model.of("interviewer").map(({ messages }) => messages.map(({ content }) => String(content)));
  expect(told[1]?.slice(-3)).toEqual([
    "Plain Python.\n",
    "not committed yet\n",
    "notes.txt:1: not committed yet\n[1 file that looks like a secret was left out: the person did not allow reading it]",
  ]);
  expect(told[2]?.at(-1)).toBe("two");
  expect(told[3]?.at(-1)).toBe("no");
  expect(told[4]?.at(-1)).toMatch(/test_it/);

  expect(await status()).toBe(statusBefore);
  const now = snapshotOf(stage.source);
  const ownOf = (seen: ReadonlyMap<string, string>) => [...seen].filter(([path]) => !path.startsWith(".git/"));
  expect(ownOf(now)).toEqual(ownOf(before));
  expect(JSON.parse(held.file(id, "prd.json")).map((task: { id: string }) => task.id)).toEqual(["T-001"]);
  expect(JSON.parse(held.file(id, "seed-meta.json"))).toMatchObject({
    interviewer_model: "scripted-interviewer",
    tldr: "- Answers, one module each",
    open_questions: ["What is the question?"],
  });
  const events = held.events(id);
  expect(events[0]).toMatchObject({ type: "session_start", payload: { phase: "prep-feature" } });
  expect(events.find(({ type }) => type === "isolation_receipt")).toMatchObject({
    payload: { role: "read", passed: true },
  });
  expect(events.at(-1)).toMatchObject({ type: "session_prepared", payload: { prd_entries: 1, test_files: 1 } });
  expect(await gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source })).toBe(
    "seed: 1 task + 1 acceptance test\nchange",
  );
  expect(await stage.onEngine("containers")).toEqual([]);

  await addTasks(held, id);
  const ran = await stage.tilth.run(["run", "--sandbox", stage.source]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const verified = await stage.tilth.run(["verify", id]);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
  const subjects = await gitLine(["log", "--format=%s", `session/${id}`], { cwd: stage.source });
  expect(subjects.split("\n")).toEqual([
    ...["T-002: Answer 2", "T-001: Answer 1"],
    "seed: 1 task + 1 acceptance test",
    "seed: 1 task + 1 acceptance test",
    "change",
  ]);
});

/** Adds one more task to those that are there; then an interviewer gives up, which changes nothing. */
async function addTasks(held: Interviews, id: string): Promise<void> {
  const first = { prd: held.file(id, "prd.json"), test: held.file(id, `seed/${nameOf(1)}`) };
  const asked = held.model.of("interviewer").length;
  const more = await held.hold([], "--append", id);
  expect(more, more.stderr).toMatchObject({ code: 0 });
  const refused = held.model.of("interviewer")[asked + 1]?.messages.at(-1)?.content;
  expect(refused).toMatch(/T-001 is taken/);
  const prd = JSON.parse(held.file(id, "prd.json"));
  expect(prd.slice(0, 1)).toEqual(JSON.parse(first.prd));
  expect(prd.map((task: { id: string }) => task.id)).toEqual(["T-001", "T-002"]);
  expect(held.file(id, `seed/${nameOf(1)}`)).toBe(first.test);
  expect(held.file(id, `seed/${nameOf(2)}`)).toBe(testOf(2));
  expect(JSON.parse(held.file(id, "seed-meta.json")).appended).toHaveLength(1);

  const givenUp = await held.hold([], "--append", id);
  expect(givenUp.code).toBe(1);
  expect(JSON.parse(held.file(id, "checkpoint.json"))).toMatchObject({ status: "prepared" });
}

test("an interviewer that gives up leaves a failed session, which run does not offer", async () => {
  await using held = await Interviews.open({ interviewer: [{ quiet: "This is too vague to work on." }] });
  const ended = await held.hold([]);
  expect(ended, ended.stderr).toMatchObject({ code: 1 });
  expect(ended.stderr + ended.stdout).toContain("This is too vague to work on.");
  const [id = ""] = held.stage.tilth.sessions();
  expect(JSON.parse(held.file(id, "checkpoint.json"))).toMatchObject({ status: "failed" });
  expect(readdirSync(join(held.stage.tilth.home, "sessions", id))).not.toContain("prd.json");
  const run = await held.stage.tilth.run(["run", held.stage.source]);
  expect(run.code).toBe(2);
  expect(await held.stage.onEngine("containers")).toEqual([]);
});

test("an endpoint that refuses the key fails the session, and both are named", async () => {
  await using held = await Interviews.open({ interviewer: [{ status: 401, body: { error: { message: "no" } } }] });
  const ended = await held.hold([]);
  expect(ended.code).toBe(5);
  const [id = ""] = held.stage.tilth.sessions();
  expect(JSON.parse(held.file(id, "checkpoint.json"))).toMatchObject({ status: "failed" });
  expect(ended.stderr).toMatch(
    new RegExp(`session ${id} failed; start again with: tilth prep-feature .* --force\n.*HTTP 401`),
  );
  const resumed = await held.stage.tilth.run(["resume", id]);
  expect(resumed.stderr).toMatch(new RegExp(`^session ${id}\n`));
});

test("a weekly limit ends an interview with the command to hold it again; --wait-for-limit waits until Ctrl-C", async () => {
  await using held = await Interviews.open({
    interviewer: () => ({ status: 429, headers: { "retry-after": "604800" } }),
  });
  const ended = await held.hold([]);
  expect(ended.code).toBe(5);
  expect(ended.stderr).toMatch(/→ After that: tilth prep-feature .* --force; .* --force --wait-for-limit waits until/);
  const { tilth, source } = held.stage;
  const answers = held.answers();
  const args = ["prep-feature", source, "--brief", "Answers.", "--answers", answers, "--force", "--wait-for-limit"];
  const waiting = tilth.start(args);
  await waiting.said(/waiting until \d{4}-\d\d-\d\d \d\d:\d\d/);
  waiting.process.kill("SIGINT");
  expect((await waiting.ended).code).toBe(130);
  expect(held.model.requests).toHaveLength(2);
});

test("an interrupted interview leaves nothing", async () => {
  await using held = await Interviews.open({ interviewer: [seedOf([1], green), { hang: true }] });
  const before = await held.stage.traces();
  const answers = ["--answers", held.answers()];
  const running = held.stage.tilth.start(["prep-feature", held.stage.source, "--brief", "Answers.", ...answers]);
  while (held.model.of("interviewer").length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  running.process.kill("SIGINT");
  const ended = await running.ended;
  expect(ended, ended.stderr).toMatchObject({ code: 130 });
  expect(await held.stage.traces()).toEqual(before);
});

test("a process that lost the session's lock writes nothing more into it, and removes nothing", async () => {
  await using held = await Interviews.open({ interviewer: [{ hang: true }] });
  const { tilth, source } = held.stage;
  const running = tilth.start(["prep-feature", source, "--brief", "Answers.", "--answers", held.answers()]);
  while (held.model.of("interviewer").length < 1) await new Promise((resolve) => setTimeout(resolve, 50));
  const [id = ""] = tilth.sessions();
  rmSync(join(tilth.home, "sessions", id, "lock"));
  const ended = await running.ended;
  expect(ended, ended.stderr).toMatchObject({ code: 3 });
  expect(JSON.parse(held.file(id, "checkpoint.json"))).toMatchObject({ status: "preparing" });
});
