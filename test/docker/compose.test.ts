import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings.js";
import { Engine } from "../../runner/hands/engine.js";
import { pinnedBase } from "../../runner/hands/image-recipe.js";
import { packageFolder } from "../../runner/support/package-folder.js";
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
  test("passes a repository whose tests pass, and reports each", async () => {
    const { exit, report } = await check({ ...code, "tests/test_calc.py": green });
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

  test("leaves alone what a project's own names shadow, and copies no pipe", async () => {
    const shadows = { "json.py": "raise SystemExit(3)\n", "pytest.py": "raise SystemExit(3)\n" };
    const { exit } = await check({ ...code, ...shadows, "tests/test_calc.py": green }, (path) => {
      expect(spawnSync("mkfifo", [join(path, "pipe")]).status).toBe(0);
    });
    expect(exit).toBe(0);
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

/** What compose makes of docker-compose.yml, asked of the engine directly. */
async function check(
  files: Readonly<Record<string, string>>,
  prepare: (path: string) => void = () => {},
): Promise<{ exit: number; report: Report }> {
  const source = await mkdtemp(join(folder, "repo-"));
  await chmod(source, 0o755);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(source, name)), { recursive: true });
    await writeFile(join(source, name), content);
  }
  prepare(source);
  const tmpfs = "mode=1777,exec,nosuid,nodev,size=256m";
  const container = await engine.docker.createContainer({
    Image: image,
    Entrypoint: ["/opt/tilth/python", "-I", "/opt/tilth/oneshot.py"],
    User: "10001:10001",
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Tmpfs: { "/workspace": tmpfs, "/tmp": tmpfs, "/home/tilth": tmpfs },
      Mounts: [{ Type: "bind", Source: source, Target: "/source", ReadOnly: true }],
    },
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true });
    await container.start();
    const said = await stdoutOf(stream);
    const { StatusCode } = await container.wait();
    return { exit: StatusCode, report: JSON.parse(said) };
  } finally {
    await container.remove({ force: true });
  }
}

/** Frames of an 8-byte header each; only stdout was asked for. */
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
