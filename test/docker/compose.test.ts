import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { packageFolder } from "../../runner/base/package-folder.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { pinnedBase } from "../../runner/hands/docker/image/image-recipe.js";
import { realImage } from "../helpers/image.js";

interface Report {
  readonly passed: boolean;
  readonly problem: string | null;
  readonly checks: readonly {
    name: string;
    passed: boolean;
    reason: string | null;
    tests?: readonly { id: string; outcome: string }[];
  }[];
}

const code = { "calc.py": "def add(a, b):\n    return a + b\n" };
const green = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n";
let engine: Engine;
let image: string;
let folder: string;

beforeAll(async () => {
  engine = await Engine.connect(loadSettings(), new AbortController().signal);
  image = (await realImage(engine)).id;
  folder = await mkdtemp(join(tmpdir(), "tilth-compose-"));
  await chmod(folder, 0o755);
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the one-shot check", () => {
  test("passes a repository whose tests pass, whatever its own names shadow, reports each and copies no pipe", async () => {
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

  test("says so when there is nothing it could run", async () => {
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
    "on the descriptor that the arguments of its process name",
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

describe("a repository that wants to pass the one-shot check", () => {
  test.each(forgeries)(
    "by a report of its own %s is believed by a naive check, and by ours not",
    async (_, how, reason) => {
      const files = { ...code, "tests/test_calc.py": wrong, "tests/test_a.py": forging(how) };
      expect(await check(files, { naive: true })).toMatchObject({ exit: 0, report: { passed: true } });
      const { exit, report } = await check(files);
      expect([exit, report.passed, report.checks[1]?.reason]).toEqual([1, false, reason]);
    },
  );

  test("by words on the check's own output finds that it may not write there", async () => {
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

  test("without a test that says anything does not, whatever pytest ends with", async () => {
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

describe("the time of the one-shot check", () => {
  /** A child that keeps open everything that its parent has open. */
  const holding = (seconds: number) => `import os
import time

if os.fork() == 0:
    time.sleep(${seconds})
    os._exit(0)
`;

  test("is not that of a process that a test leaves behind with the report in its hands", async () => {
    const naive = await check({ ...tested, "conftest.py": holding(6) }, { naive: true, seconds: 4 });
    expect(naive.tookMs).toBeGreaterThan(6_000);
    const { exit } = await check({ ...tested, "conftest.py": holding(600) });
    expect(exit).toBe(0);
  });

  test("ends what a test waits for, and says so", async () => {
    const waiting = "import time\n\n\ndef test_waits():\n    time.sleep(600)\n";
    const { exit, report } = await check({ ...code, "tests/test_calc.py": waiting }, { seconds: 3 });
    expect([exit, report.checks.at(-1)]).toMatchObject([1, { name: "pytest", reason: "timeout" }]);
  });

  test("ends what no test has to do with: a copy that never comes to its end", async () => {
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

interface Checking {
  readonly prepare?: (source: string) => void;
  /** runs the check as one writes it first */
  readonly naive?: boolean;
  /** run in place of the check */
  readonly program?: readonly string[];
  /** TILTH_CHECK_TIMEOUT_SECONDS */
  readonly seconds?: number;
}

const naiveCheck = fileURLToPath(new URL("../helpers/naive-oneshot.py", import.meta.url));

/** Runs the container that compose makes of docker-compose.yml, asked of the engine directly. */
async function check(
  files: Readonly<Record<string, string>>,
  {
    prepare,
    naive = false,
    program = [naive ? "/naive.py" : "/opt/tilth/oneshot/__main__.py"],
    seconds = 180,
  }: Checking = {},
): Promise<{ exit: number; said: string; report: Report; tookMs: number }> {
  const source = await mkdtemp(join(folder, "repo-"));
  await chmod(source, 0o755);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(source, name)), { recursive: true });
    await writeFile(join(source, name), content);
  }
  prepare?.(source);
  const began = performance.now();
  const tmpfs = "mode=1777,exec,nosuid,nodev,size=256m";
  const container = await engine.docker.createContainer({
    Image: image,
    Entrypoint: ["/opt/tilth/python", "-I", ...program],
    Env: [`TILTH_CHECK_TIMEOUT_SECONDS=${seconds}`],
    User: "10001:10001",
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Tmpfs: { "/workspace": tmpfs, "/tmp": tmpfs, "/home/tilth": tmpfs },
      Mounts: [
        { Type: "bind", Source: source, Target: "/source", ReadOnly: true },
        { Type: "bind", Source: naiveCheck, Target: "/naive.py", ReadOnly: true },
      ],
    },
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true });
    await container.start();
    const said = await stdoutOf(stream);
    const { StatusCode } = await container.wait();
    return { exit: StatusCode, said, report: reportIn(said), tookMs: performance.now() - began };
  } finally {
    await container.remove({ force: true });
  }
}

/** The report in the output; a problem if the output holds something else. */
function reportIn(said: string): Report {
  try {
    return JSON.parse(said);
  } catch {
    return { passed: false, problem: `no report: ${said}`, checks: [] };
  }
}

/** Reads frames with a header of 8 bytes each; only stdout was asked for. */
async function stdoutOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  let said = "";
  for (let rest = Buffer.concat(chunks); rest.length >= 8; ) {
    const end = 8 + rest.readUInt32BE(4);
    said += rest.subarray(8, end).toString();
    rest = rest.subarray(end);
  }
  return said;
}
