import { expect, test } from "vitest";
import { names } from "../../runner/environment/named-by.js";

test.each([
  ["Add requests to pyproject.toml.", "pyproject.toml"],
  ["Add requests to `pyproject.toml`", "pyproject.toml"],
  ["see ./requirements/dev.txt, please", "requirements/dev.txt"],
  ["change /workspace/uv.lock", "uv.lock"],
  ["uv.lock.", "uv.lock"],
  ["(requirements.txt)", "requirements.txt"],
])("%j names %s", (text, path) => {
  expect(names(text, path)).toBe(true);
});

test.each([
  ["Add requests to the project.", "pyproject.toml"],
  ["docs/requirements.txt lists them", "requirements.txt"],
  ["the file requirements.txt.bak", "requirements.txt"],
  ["my-pyproject.toml", "pyproject.toml"],
  ["the dev.txt there", "requirements/dev.txt"],
])("%j does not name %s", (text, path) => {
  expect(names(text, path)).toBe(false);
});
