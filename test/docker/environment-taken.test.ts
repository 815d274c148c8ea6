import { expect, test } from "vitest";
import { type Job, sharedEnvironments } from "../helpers/environments.js";

const { environments } = await sharedEnvironments();

const packages = ["run", "alpha", "beta", "gamma", "delta", "legacy"].map((name) => ({
  name,
  version: "1.0",
  files: { [`${name}.py`]: "" },
}));
const project = '[project]\nname = "demo"\nversion = "1"\ndependencies = ["run"]\n';
const setupCfg = `[metadata]\nname = demo\nversion = 2.1
[options]\ninstall_requires =\n  run\n  # a comment
[options.extras_require]\ntests = alpha\ndocs = gamma
[options.entry_points]\nconsole_scripts =\n  demo = demo.cli:main\n`;

interface Case {
  readonly of: string;
  readonly job: Job;
  readonly names: string;
  readonly taken: readonly string[];
  readonly said?: readonly unknown[];
  readonly project?: unknown;
}

const cases: readonly Case[] = [
  {
    of: "requirements.txt comes before pyproject.toml, whose metadata is the project's all the same",
    job: { files: { "requirements.txt": "alpha", "pyproject.toml": `${project}[dependency-groups]\ntest = ["beta"]` } },
    names: "alpha",
    taken: ["requirements.txt"],
    project: { name: "demo", version: "1" },
    said: [
      "pyproject.toml is not taken beside requirements.txt; to take its [project] and [dependency-groups] test as well, set TILTH_DEPENDENCIES=requirements.txt,pyproject.toml.",
    ],
  },
  {
    of: "groups and extras for tests, their inclusions and mentions of the project followed, no others",
    job: {
      files: {
        "pyproject.toml": `${project}[project.optional-dependencies]\nall = ["demo[more]", "alpha"]\nmore = ["beta"]\ntesting = ["Demo[all]"]
[dependency-groups]\nDev = [{include-group = "lint"}]\nlint = ["gamma"]\ndocs = ["delta"]`,
      },
    },
    names: "alpha beta gamma run",
    taken: [
      "pyproject.toml [project]",
      "pyproject.toml [dependency-groups] dev",
      "pyproject.toml [project.optional-dependencies] testing",
    ],
    project: { name: "demo", version: "1" },
  },
  {
    of: "files named dev, test or tests add to what declares runtime dependencies",
    job: {
      files: {
        "pyproject.toml": project,
        "requirements-dev.txt": "alpha",
        "test-requirements.txt": "-r requirements/tests.txt",
        "requirements/tests.txt": "beta\n-c ../pins.txt",
        "pins.txt": "beta==1.0",
        "requirements/docs.txt": "gamma",
        "requirements-lint.txt": "delta",
      },
    },
    names: "alpha beta run",
    taken: ["pyproject.toml [project]", "requirements-dev.txt", "requirements/tests.txt"],
    project: { name: "demo", version: "1" },
  },
  {
    of: "the project itself in a requirements file means what it declares",
    job: {
      files: {
        "pyproject.toml": `${project}optional-dependencies = { cli = ["beta"] }`,
        "requirements.txt": "-e .[cli]\nalpha",
      },
    },
    names: "alpha beta run",
    taken: ["requirements.txt"],
    project: { name: "demo", version: "1" },
    said: [expect.stringContaining("pyproject.toml is not taken beside requirements.txt")],
  },
  {
    of: "so does the project's name there, which is never taken from the index",
    job: {
      files: {
        "pyproject.toml": `${project}optional-dependencies = { cli = ["beta"] }`,
        "requirements-dev.txt": "Demo[cli]>=7\n-c pins.txt",
        "pins.txt": "demo==9",
      },
    },
    names: "beta run",
    taken: ["pyproject.toml [project]", "requirements-dev.txt"],
    project: { name: "demo", version: "1" },
  },
  {
    of: "a static setup.cfg",
    job: { files: { "setup.cfg": setupCfg }, after: "cat /opt/tilth/env/bin/demo" },
    names: "alpha run",
    taken: ["setup.cfg [options]", "setup.cfg [options.extras_require] tests"],
    project: { name: "demo", version: "2.1" },
  },
  {
    of: "dependencies that setuptools reads from files",
    job: {
      files: {
        "pyproject.toml": `[project]\nname = "demo"\ndynamic = ["version", "dependencies"]\n[tool.setuptools.dynamic]\ndependencies = { file = ["deps/base.txt"] }`,
        "deps/base.txt": "alpha",
        "src/demo.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: demo\nVersion: 3.2\n\nText",
      },
      version: "9.9",
    },
    names: "alpha",
    taken: ["deps/base.txt"],
    project: { name: "demo", version: "3.2" },
    said: ["The project's version is taken to be 3.2, from PKG-INFO."],
  },
  {
    of: "TILTH_DEPENDENCIES names exactly what is taken",
    job: {
      files: {
        "pyproject.toml": project,
        "requirements.txt": "alpha",
        "ci/needs.txt": "beta",
        "requirements-dev.txt": "gamma",
        "sub/pyproject.toml": '[project]\nname = "sub"\nversion = "1"\ndependencies = ["delta"]',
      },
      named: ["ci/needs.txt", "sub/pyproject.toml"],
    },
    names: "beta delta",
    taken: ["ci/needs.txt", "sub/pyproject.toml [project]"],
    project: { name: "demo", version: "1" },
  },
  {
    of: "none is none, the project's metadata stays",
    job: {
      files: { "pyproject.toml": '[project]\nname = "demo"\ndynamic = ["version"]', "requirements.txt": "alpha" },
      named: [],
      version: "0.4",
    },
    names: "",
    taken: ["pyproject.toml"],
    project: { name: "demo", version: "0.4" },
    said: ["The project's version is taken to be 0.4, from the nearest tag."],
  },
  {
    of: "what stands only in setup.py or in a subfolder is said",
    job: {
      files: {
        "setup.py":
          'from setuptools import setup\nsetup(name="legacy-app", version="5.0", install_requires=["legacy"])',
        "backend/requirements.txt": "alpha",
      },
    },
    names: "",
    taken: [],
    project: { name: "legacy-app", version: "5.0" },
    said: [
      expect.stringMatching(/^What setup\.py requires is not known, because it is not run: .* TILTH_DEPENDENCIES/),
      "backend/requirements.txt in a subfolder is not taken; to take it, set TILTH_DEPENDENCIES=backend/requirements.txt.",
    ],
  },
  {
    of: "several in subfolders are said together",
    job: { files: { "PKG-INFO": "", "a/requirements.txt": "alpha", "b/requirements.txt": "beta" } },
    names: "",
    taken: [],
    project: null,
    said: [
      "a/requirements.txt and b/requirements.txt in a subfolder are not taken; to take them, set TILTH_DEPENDENCIES=a/requirements.txt,b/requirements.txt.",
    ],
  },
  {
    of: "files that are only looked into may be as they like",
    job: {
      files: {
        "pyproject.toml": project,
        "setup.cfg": "[flake8]\nnonsense\n  more",
        "setup.py": { base64: "/8H/" },
        "PKG-INFO": { base64: "/8H/" },
      },
    },
    names: "run",
    taken: ["pyproject.toml [project]"],
    project: { name: "demo", version: "1" },
  },
  {
    of: "poetry's own form with a requirements file beside it",
    job: {
      files: {
        "pyproject.toml": '[tool.poetry]\nname = "demo"\nversion = "1.1"\n[tool.poetry.dependencies]\nalpha = "*"',
        "requirements.txt": "beta",
      },
    },
    names: "beta",
    taken: ["requirements.txt"],
    project: { name: "demo", version: "1.1" },
  },
  {
    of: "files as people write them: utf-16, byte order marks, continued lines, comments, markers, hashes",
    job: {
      files: {
        "requirements.txt": { base64: Buffer.from("\ufeffalpha==1.0\r\n", "utf16le").toString("base64") },
        "dev-requirements.txt":
          "\ufeff# first\nBeta[extra] >= 1 ; \\\n  python_version > '3' # why\nnothing ; sys_platform == 'win32'\n\n--pre\n--only-binary :all:\n",
        "requirements/test.txt": `gamma==1.0 \\\n    @gamma-1.0@ \\\n    --hash sha512:${"0".repeat(128)}`,
      },
    },
    names: "alpha beta gamma",
    taken: ["requirements.txt", "dev-requirements.txt", "requirements/test.txt"],
    project: null,
  },
];

test("each dependency file is taken, or passed over with the reason", async () => {
  const ran = await environments(
    packages,
    cases.map(({ job }) => job),
  );
  const got = ran.map(({ result, errors }, at) => [
    cases[at]?.of,
    result.ok ? (result.names ?? []).map(([name]) => name).join(" ") : (result.problem ?? errors),
    ...[result.taken, result.said, result.project],
  ]);
  expect(got).toEqual(cases.map(({ of, names, taken, said, project }) => [of, names, taken, said ?? [], project]));
  expect(ran[5]?.after).toContain("from demo.cli import main");
});

test("a dev group that needs another Python is left out beside a group for tests, and nothing else is", async () => {
  const newer = { name: "newer", version: "1.0", requires_python: ">=9", files: { "newer.py": "" } };
  const of = (groups: string) => ({ files: { "pyproject.toml": `${project}[dependency-groups]\n${groups}` } });
  const ran = await environments(
    [...packages, newer],
    [
      of('dev = ["newer", {include-group = "test"}]\ntest = ["alpha"]'),
      of('dev = ["newer"]'),
      of('dev = ["alpha"]\ntest = ["newer"]'),
      of('dev = ["absent"]\ntest = ["alpha"]'),
      { ...of('dev = ["newer"]\ntest = ["alpha"]'), named: ["pyproject.toml"] },
    ],
  );
  const [first, ...others] = ran;
  expect(first?.result, first?.errors).toMatchObject({
    ok: true,
    taken: ["pyproject.toml [project]", "pyproject.toml [dependency-groups] test"],
    names: [
      ["alpha", "1.0"],
      ["run", "1.0"],
    ],
    said: [
      expect.stringMatching(
        /^pyproject\.toml \[dependency-groups\] dev is left out: newer\S* needs Python >=9, and the image has Python 3\./,
      ),
    ],
  });
  expect(others.map(({ result }) => [result.ok, result.kind])).toEqual(others.map(() => [false, "unresolved"]));
});

test("a project with nothing to install and no metadata gets no environment", async () => {
  const [none] = await environments(packages, [
    { files: { "pyproject.toml": "[tool.black]\nline-length = 99" }, after: "ls -A /opt/tilth/env" },
  ]);
  expect(none?.result).toMatchObject({ ok: true, none: true, packages: 0, lock: "", taken: [], said: [] });
  expect(none?.after).toBe("");
});

test("for a project that asks for nothing, the file with its name is reported as taken", async () => {
  const [named] = await environments(packages, [
    { files: { "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n' } },
  ]);
  expect(named?.result).toMatchObject({ ok: true, packages: 0, taken: ["pyproject.toml"] });
  expect(named?.said.filter((line) => line.startsWith("downloading"))).toEqual([]);
});

test("every folder that a project declares is on its path, whether it exists yet or not", async () => {
  const cat = "cat /opt/tilth/env/lib/python3*/site-packages/tilth.pth 2>&1 | grep ^/workspace";
  const plain = project.replace('["run"]', "[]");
  const of = (more: string, others: Readonly<Record<string, string>> = {}) => ({
    files: { "pyproject.toml": `${plain}${more}`, ...others },
    after: cat,
  });
  const many = Array.from({ length: 101 }, (_, at) => `"lib${at}"`).join();
  const ran = await environments(packages, [
    of(""),
    of('[tool.setuptools.packages.find]\nwhere = ["lib", "../out", "/abs", "later", "./lib"]'),
    of('[tool.hatch.build.targets.wheel]\npackages = ["python/demo", "src/other"]'),
    of("", { "setup.cfg": "[options]\npackage_dir =\n  = code\n" }),
    {
      files: { "setup.py": 'from setuptools import setup\nsetup(name="demo", package_dir={"": "old"})\n' },
      after: cat,
    },
    of(`[tool.setuptools.packages.find]\nwhere = [${many}]`),
  ]);
  expect(ran.map(({ after }) => after.trim().split("\n"))).toEqual([
    ["/workspace", "/workspace/src"],
    ["/workspace/lib", "/workspace/later", "/workspace", "/workspace/src"],
    ["/workspace/python", "/workspace/src", "/workspace"],
    ["/workspace/code", "/workspace", "/workspace/src"],
    ["/workspace/old", "/workspace", "/workspace/src"],
    [""],
  ]);
  expect(ran.at(-1)?.result.problem).toBe("The project names 101 folders to look for modules in.");
});
