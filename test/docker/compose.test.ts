import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageFolder } from "../../runner/base/package-folder.js";
import { pinnedBase } from "../../runner/hands/docker/image/image-recipe.js";
import { oneShotChecks } from "../helpers/one-shot.js";

const check = oneShotChecks();
const code = { "calc.py": "def add(a, b):\n    return a + b\n" };
const green = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n";

describe("the one-shot check", () => {
  test("passes a repository whose tests pass, whatever modules it shadows, and copies no FIFO", async () => {
    const shadows = { "json.py": "raise SystemExit(3)\n", "pytest.py": "raise SystemExit(3)\n" };
    const prepare = (path: string) => expect(spawnSync("mkfifo", [join(path, "pipe")]).status).toBe(0);
    const { exit, report } = await check({ ...code, ...shadows, "tests/test_calc.py": green }, { prepare });
    expect(exit).toBe(0);
    expect(report).toMatchObject({ passed: true, problem: null });
    expect(report.checks[1]?.tests).toMatchObject([{ id: "tests/test_calc.py::test_add", outcome: "passed" }]);
  });

  test("fails on a failing test, on a finding of ruff, and on a test that ends the process with 0", async () => {
    const failing = await check({ ...code, "tests/test_calc.py": green.replace("3", "4") });
    expect([failing.exit, failing.report.checks.map(({ passed }) => passed)]).toEqual([1, [true, false]]);
    const mending = { "ruff.toml": "fix = true\nfix-only = true\n" };
    const unused = { "calc.py": `import os\n\n\n${code["calc.py"]}` };
    const untidy = await check({ ...unused, ...mending, "tests/test_calc.py": green });
    expect([untidy.exit, untidy.report.checks.map(({ passed }) => passed)]).toEqual([1, [false, true]]);
    const quitting = "import os\n\n\ndef test_quits():\n    os._exit(0)\n";
    const died = await check({ ...code, "tests/test_calc.py": green, "tests/test_quits.py": quitting });
    expect([died.exit, died.report.checks[1]?.reason]).toEqual([1, "check_died"]);
  });

  test("says so when there is nothing that it can run", async () => {
    const none = await check(code);
    expect([none.exit, none.report.problem]).toEqual([2, "pytest found no tests"]);
    const broken = await check({ ...code, "tests/test_calc.py": green, "ruff.toml": "select = 1\n" });
    expect(broken.exit).toBe(2);
    expect(broken.report.problem).toContain("ruff could not run");
  });
});

const tested = { ...code, "tests/test_calc.py": green };
const wrong = green.replace("3", "4");
/** Tests that forge the report of pytest, in a few lines of their own. */
const forgeries: readonly (readonly [how: string, source: string, reason: string])[] = [
  [
    "on the descriptor that its process's arguments name",
    `fd = int(open("/proc/self/cmdline").read().split(chr(0))[-2])
    os.write(fd, said)`,
    "test_failed",
  ],
  [
    "on every descriptor there is",
    `for fd in range(3, 1024):
        try:
            os.write(fd, said)
        except OSError:
            pass`,
    "check_died",
  ],
];
const forging = (how: string) => `import json, os


def test_says_what_it_likes():
    seen = {"exit": 0, "finished": True, "tests": [{"id": "a", "outcome": "passed", "text": ""}]}
    said = json.dumps({**seen, "nonce": "", "dropped": [], "unserved": []}).encode()
    ${how}
    os._exit(0)
`;

describe("a repository that tries to cheat the one-shot check", () => {
  test.each(forgeries)(
    "is believed by a naive check and not by ours when it writes its own report %s",
    async (_, how, reason) => {
      const files = { ...code, "tests/test_calc.py": wrong, "tests/test_a.py": forging(how) };
      expect(await check(files, { naive: true })).toMatchObject({ exit: 0, report: { passed: true } });
      const { exit, report } = await check(files);
      expect([exit, report.passed, report.checks[1]?.reason]).toEqual([1, false, reason]);
    },
  );

  test("may not write to the check's own output", async () => {
    const speaking = `def test_speaks():
    try:
        out = open("/proc/1/fd/1", "w")
    except PermissionError:
        return
    out.write('{"passed": true} ')
`;
    const files = { ...code, "tests/test_calc.py": wrong, "tests/test_speaks.py": speaking };
    expect((await check(files, { naive: true })).said).toMatch(/^\{"passed": true\} /);
    expect(await check(files)).toMatchObject({ exit: 1, report: { passed: false } });
  });

  test("does not pass without a test that says anything, whatever pytest ends with", async () => {
    const skipped = `import pytest\n\n\n@pytest.mark.skip\ndef test_add():\n    assert False\n`;
    const none = await check({ ...code, "tests/test_calc.py": skipped });
    expect([none.exit, none.report.problem]).toEqual([
      2,
      "no test passed or failed: 1 were skipped or expected to fail",
    ]);
    const leaving = `import pytest\n\n\ndef test_leaves():\n    pytest.exit("enough", returncode=0)\n`;
    const files = { ...code, "tests/test_a.py": green, "tests/test_b.py": leaving, "tests/test_calc.py": wrong };
    expect(await check(files, { naive: true })).toMatchObject({ exit: 0 });
    const left = await check(files);
    expect([left.exit, left.report.checks[1]?.reason]).toEqual([1, "ended_early"]);
  });
});

describe("the time limit of the one-shot check", () => {
  /** A child that keeps open everything that its parent has open. */
  const holding = (seconds: number) => `import os
import time

if os.fork() == 0:
    time.sleep(${seconds})
    os._exit(0)
`;

  test("does not wait for a process that a test leaves behind with the report in its hands", async () => {
    const naive = await check({ ...tested, "conftest.py": holding(6) }, { naive: true, seconds: 4 });
    expect(naive.tookMs).toBeGreaterThan(6_000);
    const { exit } = await check({ ...tested, "conftest.py": holding(600) });
    expect(exit).toBe(0);
  });

  test("ends a test that waits, and says so", async () => {
    const waiting = "import time\n\n\ndef test_waits():\n    time.sleep(600)\n";
    const { exit, report } = await check({ ...code, "tests/test_calc.py": waiting }, { seconds: 3 });
    expect([exit, report.checks.at(-1)]).toMatchObject([1, { name: "pytest", reason: "timeout" }]);
  });

  test("ends a copy that never finishes, in which no test takes part", async () => {
    const program = `import sys, time
sys.path.insert(0, "/opt/tilth")
from oneshot import check
check.copy_source = lambda: time.sleep(600)
sys.exit(check.main())`;
    const { exit, report } = await check(code, { program: ["-c", program], seconds: 1 });
    expect([exit, report.problem]).toEqual([2, expect.stringContaining("could not be copied in time")]);
  });
});

describe("docker-compose.yml", () => {
  test("hardens the one-shot check and pins the base that the Dockerfile pins", async () => {
    const text = await readFile(join(packageFolder, "docker-compose.yml"), "utf8");
    expect(text).toContain(`BASE: \${BASE:-${pinnedBase()}}`);
    for (const line of [
      "network_mode: none",
      "read_only: true",
      "cap_drop: [ALL]",
      'security_opt: ["no-new-privileges:true"]',
      "pids_limit: 512",
      `user: \${TILTH_UID:-10001}:\${TILTH_GID:-10001}`,
      `source: \${TILTH_REPO:-.}`,
    ])
      expect(text).toContain(line);
  });
});
