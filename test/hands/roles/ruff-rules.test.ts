import { expect, test } from "vitest";
import {
  pinnedRules,
  type RuffConfiguration,
  ruffCheck,
  rulesOf,
  rulesWithout,
} from "../../../runner/hands/roles/ruff-rules.js";

const image = { program: "/opt/tilth/venv/bin/ruff", version: "9.1.0", own: false };
const own = { program: "/opt/tilth/env/bin/ruff", version: "0.1.0", own: true };
const configured: RuffConfiguration = { configured: true, selects: true, more: [], ignored: [], ruff: image };

test("a project without configuration gets the pinned rules of the image's ruff, even where it has its own ruff", () => {
  expect(rulesOf({ ...configured, configured: false, ruff: own })).toBe(pinnedRules);
});

test("a project that selects its rules gets them, from its own ruff where there is one", () => {
  expect(rulesOf(configured)).toEqual({ program: image.program, args: [], refused: null });
  expect(rulesOf({ ...configured, ruff: own })).toEqual({ program: own.program, args: [], refused: null });
});

test("a configuration that selects nothing gets the pinned rules, with what it adds and ignores", () => {
  const silent = { ...configured, selects: false };
  expect(rulesOf(silent).args).toEqual(["--select", "E4,E7,E9,F"]);
  expect(rulesOf({ ...silent, more: ["I"], ignored: ["E711", "F401"] }).args).toEqual([
    ...["--select", "E4,E7,E9,F,I"],
    ...["--ignore", "E711,F401"],
  ]);
  expect(rulesOf({ ...silent, ruff: own }).args).toEqual([]);
});

const problem =
  "ruff failed\n  Cause: Failed to parse /workspace/ruff.toml\n  Cause: TOML parse error at line 1, column 1\n  |\n1 | show-source = true\n  | ^\nunknown field `show-source`\n";

test.each([
  [image, "ruff 9.1.0 of the image", "name the ruff that it is written for"],
  [own, "ruff 0.1.0 of the environment", "let its dependencies name another ruff"],
])(
  "a refused configuration is reported in one sentence with a remedy, and the pinned rules hold",
  (ruff, who, remedy) => {
    const { refused, ...rules } = rulesWithout({ ...configured, ruff }, problem);
    expect({ ...rules, refused: null }).toEqual(pinnedRules);
    for (const part of [who, "Failed to parse ruff.toml; ", "unknown field `show-source`", "E4, E7, E9, F", remedy])
      expect(refused).toContain(part);
    expect(refused).not.toMatch(/\n|\||\/workspace/);
  },
);

test("ruff is always called so that it cannot write", () => {
  expect(ruffCheck(pinnedRules, "--output-format", "json").slice(0, 5)).toEqual([
    ...["/opt/tilth/venv/bin/ruff", "check", "--no-fix", "--no-fix-only", "--no-cache"],
  ]);
});
