import { expect, test } from "vitest";
import { judgementOf } from "../../runner/checks/judgement.js";
import { stagingProblem } from "../../runner/seed/staging-problem.js";
import { type Files, never, requestOf } from "../helpers/check-world.js";
import { sharedChecks } from "../helpers/shared-checks.js";

const { world, checks } = await sharedChecks();
const staged = [{ path: "tests/test_t001_it.py", source: "def test_it():\n    assert not 1\n" }];

async function tried(conftest: string, path = "conftest.py") {
  const files: Files = { [path]: conftest, "tests/test_t001_it.py": staged[0]?.source ?? "" };
  const tree = await world.tree(files);
  const request = requestOf({ tree, last: tree, staged });
  const judged = judgementOf(await checks.run(request, never), request);
  const red = await checks.red({ tree, run: staged, read: [], timeoutMs: 60_000 }, never);
  return { output: judged.checks[1]?.output ?? "", problem: stagingProblem(red) ?? "" };
}

test.each([
  ["an argument that hooks lost", "def pytest_ignore_collect(path):\n    return None\n", "pytest<9"],
  ["a hook that is no more", "def pytest_cmdline_preparse(config):\n    pass\n", "pytest<8"],
  ["a name that is no more", "from _pytest.python_api import RaisesContext\n", "pytest<9"],
  ["an attribute that is no more", "import pytest\n\nCollector = pytest.Instance\n", "pytest<9"],
])("the refusal of a conftest with %s names the pytest to pin", async (_, conftest, pin) => {
  const { output, problem } = await tried(conftest);
  expect(output).toContain(`pin ${pin} in the dependency files`);
  expect(problem).toContain("cannot be run: conftest.py: pytest 9.");
  expect(problem).toContain(`pin ${pin} in the dependency files`);
});

test("a conftest below tests/ is named by its path", async () => {
  const { problem } = await tried("from _pytest.python_api import RaisesContext\n", "tests/conftest.py");
  expect(problem).toContain("cannot be run: tests/conftest.py: pytest 9.");
});

test("a conftest error that has nothing to do with pytest is not blamed on it", async () => {
  const { output, problem } = await tried("import shop\n");
  expect(output).toContain("shop is not in the image");
  expect(output + problem).not.toContain("pin pytest");
});
