import { expect, test } from "vitest";
import { CliStage } from "../helpers/cli-stage.js";
import { compiledTilth } from "../helpers/compiled.js";
import { changed, expectGone, standing, tipOf } from "../helpers/resets.js";
import { Terminal } from "../helpers/tmux.js";

const refusals: readonly (readonly [keys: readonly string[], code: number])[] = [
  [["Enter"], 0],
  [["C-d"], 0],
  [["n", "Enter"], 0],
  [["C-c"], 130],
];

test("at a terminal a person is told what would be removed, and nothing is removed without a yes", async () => {
  await using stage = await CliStage.open();
  const untouched = standing(stage);
  const id = await stage.prepared();
  const tip = await tipOf(stage, id);
  const before = standing(stage);
  const asked = async (...args: readonly string[]) => {
    const terminal = new Terminal([process.execPath, compiledTilth(), "reset", ...args], stage.tilth.env, {
      columns: 200,
      rows: 30,
    });
    const screen = await terminal.shows(/Ctrl-C stops$/, 60_000);
    expect(screen).toContain(`Remove session ${id}, with its branch and all that is in its worktree?`);
    expect(screen).toContain(`The branch is at ${tip}, 1 commit of it merged nowhere.`);
    return terminal;
  };
  for (const [keys, code] of refusals) {
    using terminal = await asked(id);
    terminal.press(...keys);
    const end = await terminal.shows(`[left with ${code}]`, 60_000);
    if (code === 0) expect(end).toContain("nothing was done");
    expect(changed(before, standing(stage))).toEqual([]);
  }
  using terminal = await asked();
  expect(terminal.screen()).toContain(`the latest session is ${id}, prepared: Answer 1`);
  terminal.press("y", "Enter");
  const end = await terminal.shows("[left with 0]", 60_000);
  expect(end).toContain(`session ${id} is gone; its branch was at ${tip}`);
  await expectGone(stage, id, untouched);
}, 300_000);
