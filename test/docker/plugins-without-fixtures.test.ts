import { afterAll, beforeAll, expect, test } from "vitest";
import { CheckWorld } from "../helpers/check-world.js";

let world: CheckWorld;
beforeAll(async () => {
  world = await CheckWorld.open();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Runs pytest as a check does, and prints which of its own plugins it looked for fixtures in. */
const looking = `import importlib
import sys
from _pytest import fixtures
from _pytest.config import default_plugins
import pytest

for plugin in default_plugins:
    importlib.import_module(f"_pytest.{plugin}")

looked = set()
parse = fixtures.FixtureManager.parsefactories


def counted(self, *args, **named):
    looked.add(getattr(named.get("holder"), "__name__", ""))
    parse(self, *args, **named)


fixtures.FixtureManager.parsefactories = counted
sys.path.insert(0, "/opt/tilth")
from check.project import fixtureless

if "everywhere" not in sys.argv:
    fixtureless.pass_over()
ended = pytest.main(["-q", "-p", "no:cacheprovider", "tests"])
print("looked:", *sorted(name for name in looked if name.startswith("_pytest.")))
sys.exit(ended)
`;

const planting = `import _pytest.pastebin
import pytest


@pytest.fixture
def planted():
    return 3


_pytest.pastebin.planted = planted
del planted
`;

async function lookedIn(files: Readonly<Record<string, string>>, ...how: readonly string[]) {
  const { exit, output } = await world.naively(await world.tree(files), ["python", "-c", looking, ...how]);
  return { exit, plugins: /^looked: (.*)$/m.exec(output)?.[1]?.split(" ") ?? [output] };
}

test("pytest looks for fixtures only in those of its own plugins that have some", async () => {
  const files = {
    "tests/test_a.py": "def test_a(tmp_path, monkeypatch, capsys, caplog, recwarn):\n    assert tmp_path\n",
  };
  const everywhere = await lookedIn(files, "everywhere");
  const here = await lookedIn(files);
  expect([everywhere.exit, here.exit]).toEqual([0, 0]);
  expect(everywhere.plugins).toEqual(expect.arrayContaining(["_pytest.pastebin", "_pytest.tmpdir", "_pytest.main"]));
  expect(here.plugins).toEqual(expect.arrayContaining(["_pytest.tmpdir", "_pytest.monkeypatch", "_pytest.capture"]));
  expect(here.plugins).not.toContain("_pytest.pastebin");
  expect(here.plugins.length).toBeLessThan(everywhere.plugins.length / 2);
});

test("a fixture that a project puts into one of the others is found all the same", async () => {
  const test = "def test_a(planted):\n    assert planted == 3\n";
  const { exit, plugins } = await lookedIn({ "tests/conftest.py": planting, "tests/test_a.py": test });
  expect([exit, plugins.includes("_pytest.pastebin")]).toEqual([0, true]);
});
