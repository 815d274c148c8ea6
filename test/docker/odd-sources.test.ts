import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { CliStage, doing } from "../helpers/cli-stage.js";
import { someOf } from "../helpers/every.js";
import { oddSources } from "../helpers/odd-sources.js";
import { startModel } from "../helpers/scripted-model.js";
import { Tilth } from "../helpers/tilth.js";

/** Each test is several whole runs of the command line. */
const patience = { timeout: 240_000 };

let model: ScriptedModel;
beforeAll(async () => {
  const [writes = { empty: true }, submits = { empty: true }] = doing(1);
  const hasReplied = (messages: readonly { role: string }[]) => messages.some(({ role }) => role === "assistant");
  model = await startModel({ worker: ({ messages }) => (hasReplied(messages) ? submits : writes) });
});
afterAll(() => model?.[Symbol.asyncDispose]());

test.each(someOf(oddSources, 5))(
  "a source is staged, worked through and verified, and git works in its worktree: $name",
  patience,
  async (odd) => {
    await using stage = await CliStage.open(Tilth.endpoint(model), 1, odd.names);
    const { tilth } = stage;
    const source = odd.shape?.(stage) ?? stage.source;
    const seeded = await tilth.run(["seed", "--from", stage.seed, "--", source]);
    const id = /session (\S+) is prepared/.exec(seeded.stdout)?.[1] ?? "";
    expect([seeded.code, id], seeded.stderr).toEqual([0, expect.stringMatching(/^\d{8}-/)]);
    if (odd.says) expect(seeded.stderr).toMatch(odd.says);
    const ran = await tilth.run(["run", "--", source]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const worktree = join(tilth.home, "sessions", id, "workspace");
    const status = ["-C", worktree, "-c", "core.fsmonitor=false", "status", "--porcelain", "--branch"];
    const { PATH = "" } = process.env;
    const env = { PATH, GIT_CONFIG_NOSYSTEM: "1", HOME: join(tilth.root, "user") };
    expect(execFileSync("git", status, { encoding: "utf8", env, stdio: "pipe" })).toBe(`## session/${id}\n`);
    expect(await tilth.run(["verify", id])).toMatchObject({ code: 0 });
    expect(await stage.onEngine()).toEqual([]);
  },
);
