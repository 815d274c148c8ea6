import { afterAll, beforeAll, expect, test } from "vitest";
import { perform } from "../../runner/hands/pipe/perform.js";
import { operations } from "../../runner/hands/pipe/wire/operations.js";
import type { PytestReport } from "../../runner/hands/ports/checks/pytest.js";
import { Zygote } from "../../runner/hands/roles/check/containers/zygote.js";
import { runPytest, type Variant } from "../../runner/hands/roles/check/runs/test-run.js";
import { CheckWorld, env, type Files, never } from "../helpers/check-world.js";

const path = "tests/test_t001_it.py";
let world: CheckWorld;
let zygote: Zygote;

beforeAll(async () => {
  world = await CheckWorld.open();
  zygote = new Zygote(await world.share(), env);
  await zygote.start(never);
});
afterAll(() => world[Symbol.asyncDispose]());

interface Run {
  readonly instrumented: boolean;
  readonly falsify?: Variant;
}

async function run(source: string, files: Files, { instrumented, ...more }: Run): Promise<PytestReport> {
  const tree = await world.tree({ [path]: source, ...files });
  await (await world.share()).call("fresh", { tree }, { signal: never, timeoutMs: 60_000 });
  const staged = instrumented ? [{ path, source }] : [];
  const limits = { timeoutMs: 60_000, signal: never };
  return (await runPytest(zygote, { files: [path], expected: [], staged, ...more, ...limits })).report;
}

const looking = `import gc
import hashlib
import json
import os
import pathlib
import sys
import threading


def names(code):
    constants = [names(each) if hasattr(each, "co_code") else type(each).__name__ for each in code.co_consts]
    inner = [each.__qualname__ for each in code.co_consts if callable(each)]
    lines = [line for *_, line in code.co_lines()]
    return [code.co_code.hex(), code.co_names, code.co_varnames, code.co_filename, constants, inner, lines]


def look():
    tests = {name: module for name, module in sys.modules.items() if name.startswith("test_t001")}
    files = {str(file): hashlib.sha1(file.read_bytes()).hexdigest() for file in pathlib.Path().rglob("*") if file.is_file() and file.name != "seen.txt"}
    frame, frames = sys._getframe(), []
    while frame:
        frames.append([frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno])
        frame = frame.f_back
    seen = {
        "files": sorted(files.items()),
        "argv": [sys.argv, sys.orig_argv, sys.path, sys.flags, sys.meta_path.__len__(), os.getcwd()],
        "modules": sorted(sys.modules),
        "globals": [sorted(vars(module)) for module in tests.values()],
        "code": [names(module.test_it.__code__) for module in tests.values()],
        "builtins": sorted(vars(sys.modules["builtins"])),
        "rewrite": sorted((name, type(value).__name__) for name, value in vars(sys.modules["_pytest.assertion.rewrite"]).items()),
        "frames": frames,
        "environ": sorted(os.environ.items()),
        "cmdline": pathlib.Path("/proc/self/cmdline").read_text(),
        "descriptors": sorted(os.readlink(f"/proc/self/fd/{number}").partition(":")[0] for number in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{number}")),
        "limits": pathlib.Path("/proc/self/limits").read_text(),
        "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
        "threads": threading.active_count(),
        "tmp": sorted(os.listdir("/tmp")) + sorted(os.listdir(os.path.expanduser("~"))) + sorted(os.listdir("/dev/shm")),
        "hooks": [str(sys.gettrace()), str(sys.getprofile()), gc.isenabled(), gc.get_threshold()],
    }
    with open("seen.txt", "a") as file:
        file.write(json.dumps(seen, default=str) + "\\n")
    return 5
`;
const looked = `import pytest

import calc
from helper import same


def test_it():
    assert calc.look() == 5
    same(calc.look(), 5)
    with pytest.raises(ValueError):
        int("x")
`;
const tree: Files = {
  "calc.py": looking,
  "tests/helper.py": "def same(left, right):\n    assert left == right\n",
};

/** Everything that the last run could see, without the values that are drawn at random for every run. */
async function seen(): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  const args = {
    argv: ["/usr/bin/cat", "/workspace/seen.txt"],
    cwd: "/",
    env: {},
    timeout_ms: 9_000,
    output: "stream" as const,
    stdin: false,
    disk_bytes: 0,
  };
  const options = { signal: never, timeoutMs: 20_000, onData: (chunk: Uint8Array) => void chunks.push(chunk) };
  await perform(await world.share(), operations.stream, args, options);
  const drawn = [/test_t\d{3}_[a-z]{10}/g, /0x[0-9a-f]+|#\d+/g, /(?<=test_t\d{3}_[a-z]{10}\.py", ")[0-9a-f]{40}/g];
  const text = Buffer.concat(chunks).toString("utf8").trimEnd();
  return drawn
    .toReversed()
    .reduce((rest, pattern) => rest.replaceAll(pattern, "drawn"), text)
    .split("\n");
}

test("code under test sees the same whether an assertion is true or made false", async () => {
  const real = await run(looked, tree, { instrumented: true });
  const sites = real.reached[`${path}::test_it`] ?? [];
  expect(sites).toEqual([`${path}:8:4`, "tests/helper.py:2:4", `${path}:10:9`]);
  const shown = await seen();
  expect(shown).toHaveLength(2);
  for (const site of sites) {
    const falsify = [{ test: `${path}::test_it`, site }];
    const variant = await run(looked, tree, { instrumented: true, falsify });
    expect(variant.results).toMatchObject([{ outcome: "failed" }]);
    const met = await seen();
    expect(met.length).toBeGreaterThan(0);
    expect(met.map((line) => JSON.parse(line))).toEqual(shown.slice(0, met.length).map((line) => JSON.parse(line)));
  }
});

const failing = `import unittest

import pytest

from helper import same


def twice(value):
    return 2 * value


def test_compared():
    assert twice(3) == 7, "with a message"


def test_chain():
    assert 1 < twice(1) < 2


def test_long():
    assert {"a": [1, 2], "b": twice(2)} == {"a": [1, 3], "b": 4}


def test_condition():
    value = ""
    assert value or not twice(
        1
    )


def test_walrus():
    assert (value := twice(1)) == 3 and value


def test_helper():
    same(twice(1), 3)


def test_raises():
    with pytest.raises(ValueError, match="x"):
        twice(1)


def test_call():
    pytest.raises(KeyError, int, "x")


def test_raised_within():
    assert twice(None) == 1


class TestOld(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(twice(1), 3, "said")

    def test_raised(self):
        with self.assertRaises(KeyError):
            twice(1)
`;
const withHelper = { "tests/helper.py": "def same(left, right):\n    assert left == right, 'differ'\n" };

function shown({ output, results, collectErrors }: PytestReport) {
  const masked = (text: string) => text.replaceAll(/in \d+\.\d+s|0x[0-9a-f]+|^[.F]+ +\[.*$|^ *\^+$\n/gm, "");
  return {
    output: masked(output),
    results: results.map((each) => ({ ...each, text: masked(each.text) })),
    collectErrors,
  };
}

test("failures are explained as if the tests had not been altered", async () => {
  const plain = shown(await run(failing, withHelper, { instrumented: false }));
  expect(plain.results).toHaveLength(11);
  expect(plain.output).toContain("assert 6 == 7");
  const ours = shown(await run(failing, withHelper, { instrumented: true }));
  const whole = (text: string) => text.replaceAll("assert (2 == 3)", "assert 2 == 3");
  expect(ours.results).toEqual(plain.results.map((each) => ({ ...each, text: whole(each.text) })));
});

test("each of many failures in a long file is explained by its own statement", async () => {
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  const helper = "\n\n\ndef unused():\n    # text\n    return [\n        1,\n    ]";
  const tests = numbers.map((number) => `${helper}\n\n\ndef test_${number}():\n    assert len("${number}") == -1\n`);
  const { results, finished } = await run(tests.join(""), {}, { instrumented: true });
  expect(finished).toBe(true);
  const told = results.map(({ text }) => /assert len\("(\d+)"\) == -1/.exec(text)?.[1]);
  expect(told).toEqual(numbers.map(String));
});

test.each<readonly [string, string, Files]>([
  ["does not parse", "def test_it(:\n", {}],
  [
    "does not import what does not parse",
    "import calc\n\n\ndef test_it():\n    assert calc\n",
    { "calc.py": "x = = 1\n" },
  ],
  [
    "imports a helper that does not parse",
    "import helper\n\n\ndef test_it():\n    assert helper\n",
    { "tests/helper.py": "x = = 1\n" },
  ],
  [
    "imports a helper that raises",
    "import helper\n\n\ndef test_it():\n    assert helper\n",
    { "tests/helper.py": "1 / 0\n" },
  ],
])("a file that %s gives the same error as without any alteration", async (_, source, files) => {
  const plain = await run(source, files, { instrumented: false });
  expect(plain.collectErrors).toHaveLength(1);
  const ours = await run(source, files, { instrumented: true });
  expect(ours.collectErrors).toEqual(plain.collectErrors);
});
