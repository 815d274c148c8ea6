import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventSchema, type TilthEvent } from "../../runner/index.js";
import { doing } from "../helpers/cli-stage.js";
import { sharedSession } from "../helpers/kept-session.js";
import { startModel } from "../helpers/scripted-model.js";
import { type CommandEnd, Tilth } from "../helpers/tilth.js";

const hostile = "a\u202eb\u001b[31mc";

const { stage, id } = await sharedSession();

function eventsOf({ stdout }: CommandEnd): TilthEvent[] {
  expect(stdout.endsWith("\n")).toBe(true);
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => eventSchema.parse(JSON.parse(line)));
}

test("a failing run and its resume print one line of JSON for each event on stdout, and nothing else", async () => {
  await using model = await startModel({
    worker: [{ quiet: hostile }, { quiet: "." }, { quiet: "." }, ...doing(1)],
  });
  const { tilth } = stage;
  const env = Tilth.endpoint(model);
  const log = () =>
    readFileSync(join(tilth.home, "sessions", id, "events.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
  const staged = log().length;

  const failed = await tilth.run(["run", stage.source, "--json"], env);
  expect(failed.code).toBe(1);
  const first = eventsOf(failed);
  expect(first.map(({ seq }) => seq)).toEqual(first.map((_, at) => staged + at));
  expect(first.at(-1)).toMatchObject({ type: "stop", payload: { reason: "no_case" } });
  expect(JSON.stringify(first)).toContain(JSON.stringify(hostile).slice(1, -1));
  expect(failed.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(failed.stderr).not.toContain("T-001");

  const resumed = await tilth.run(["resume", id, "--json", "--quiet"], env);
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  const events = [...first, ...eventsOf(resumed)];
  expect(events[first.length]?.type).toBe("session_resume");
  expect(events.at(-1)).toMatchObject({ type: "stop", payload: { reason: "all_done" } });
  expect(events).toEqual(
    log()
      .slice(staged)
      .map((line) => JSON.parse(line)),
  );

  for (const args of [
    ["run", "--session", id, "--json"],
    ["resume", id, "--json"],
  ]) {
    const again = await tilth.run(args, env);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("all done");
  }
});

test("closing the pipe early costs the run nothing, and a run that cannot begin prints nothing there", async () => {
  await using model = await startModel({ worker: [...doing(1)] });
  const { tilth } = stage;
  const env = Tilth.endpoint(model);
  const none = await tilth.run(["run", stage.source, "--json"], { ...env, TILTH_HOME: join(tilth.root, "empty") });
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toContain("tilth seed");
  const running = tilth.start(["run", stage.source, "--json"], env);
  running.process.stdout?.once("data", () => running.process.stdout?.destroy());
  expect((await running.ended).code).toBe(0);
  const checkpoint = JSON.parse(readFileSync(join(tilth.home, "sessions", id, "checkpoint.json"), "utf8"));
  expect(checkpoint.status).toBe("all_done");
});
