import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import { CliStage } from "../helpers/cli-stage.js";
import { everyNth } from "../helpers/every.js";
import { keep } from "../helpers/kept-session.js";
import { expectGone, standing, tipOf } from "../helpers/resets.js";
import type { CommandEnd } from "../helpers/tilth.js";

// a reset that was cut short at any of its steps is finished by the next one, and the place of the branch is never lost

const killer = join(packageFolder, "test", "helpers", "killer.js");

const blows = {
  killed: { signal: "SIGKILL", code: null, nth: 8, mostUnmet: 1 / 4 },
  // the last steps of an interrupted reset are done in any case
  interrupted: { signal: "SIGINT", code: 130, nth: 10, mostUnmet: 1 / 2 },
} as const;

async function struck(
  stage: CliStage,
  id: string,
  signal: string,
  fatal: number,
): Promise<CommandEnd & { steps: string[] }> {
  const log = join(stage.tilth.root, "steps");
  writeFileSync(log, "");
  const env = {
    NODE_OPTIONS: `--import ${killer}`,
    KILLER_LOG: log,
    KILLER_STEP: String(fatal),
    KILLER_SIGNAL: signal,
    KILLER_REMOVALS: "yes",
  };
  const ended = await stage.tilth.start(["reset", id, "-y"], env, true).ended;
  return { ...ended, steps: readFileSync(log, "utf8").trimEnd().split("\n") };
}

test.each(["killed", "interrupted"] as const)(
  "a reset that was %s at any step is finished by the next one",
  async (how) => {
    const { signal, code, nth, mostUnmet } = blows[how];
    await using stage = await CliStage.open();
    const other = await stage.prepared();
    const before = standing(stage);
    const id = await stage.prepared("--keep-existing");
    const tip = await tipOf(stage, id);
    const putBack = await keep(stage, id);
    const { steps } = await struck(stage, id, signal, 0);
    const harmless = steps.findIndex((step) => step.startsWith("POST") || step.startsWith("DELETE"));
    expect(harmless).toBeGreaterThan(-1);
    const codes: (number | null)[] = [];
    for (const point of everyNth(steps.length - harmless, nth)) {
      await putBack();
      const cut = await struck(stage, id, signal, harmless + point);
      codes.push(cut.code);
      if (cut.code !== 0) {
        expect(cut.code, cut.stderr).toBe(code);
        expect(cut.stderr).toContain(`branch session/${id} ${tip}`);
        const next = await stage.tilth.run(["reset", id, "-y"]);
        expect(next, `${cut.steps.at(-1)}: ${next.stderr}`).toMatchObject({ code: 0 });
        if (!next.stdout.includes("was reset before")) expect(next.stderr).toContain(`branch session/${id} ${tip}`);
      }
      await expectGone(stage, id, before);
    }
    expect(codes.filter((each) => each === 0).length, "most steps were met").toBeLessThan(codes.length * mostUnmet);
    expect(stage.tilth.sessions()).toEqual([other]);
  },
  1_200_000,
);
