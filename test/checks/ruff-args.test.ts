import { expect, test } from "vitest";
import { pinnedRules, ruffArgs } from "../../runner/checks/ruff-args.js";
import { treeId } from "../../runner/support/ids.js";

const tree = treeId("a".repeat(40));
const never = new AbortController().signal;

function argsFor(files: Readonly<Record<string, string>>) {
  const entry = (path: string) => ({ path, mode: "100644", oid: "a".repeat(40), size: 1 });
  const clerk = {
    list: async () => Object.keys(files).map(entry),
    blob: async (_: unknown, path: string) => Buffer.from(files[path] ?? ""),
  };
  return ruffArgs(tree, clerk, never);
}

test.each([
  [{ "pkg/ruff.toml": "" }],
  [{ ".ruff.toml": "" }],
  [{ "pyproject.toml": "[project]\nname = 'x'\n[tool.ruff]\n" }],
  [{ "sub/pyproject.toml": "[tool.ruff.lint]\nselect = []\n" }],
  [{ "pyproject.toml": '[ tool . "ruff" ]\n' }],
  [{ "pyproject.toml": "[tool]\nruff.line-length = 3\n" }],
  [{ "pyproject.toml": "tool.ruff.line-length = 3\n" }],
])("%o is a configuration of ruff", async (files) => {
  expect(await argsFor(files)).toEqual([]);
});

test.each([
  [{}],
  [{ "my-ruff.toml": "" }],
  [{ "pyproject.toml": "[tool.ruffian]\n[other.ruff]\n[project]\nruff = 1\n# [tool.ruff]\n" }],
])("%o is none, so the rules are pinned", async (files) => {
  expect(await argsFor(files)).toEqual(pinnedRules);
});
