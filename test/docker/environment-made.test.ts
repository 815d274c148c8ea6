import { expect, test } from "vitest";
import { type Package, sharedEnvironments } from "../helpers/environments.js";

const { environment, environments } = await sharedEnvironments();

const packages: Package[] = [
  { name: "alpha", version: "1.0", requires: ["beta>=1"], files: { "alpha.py": "import beta\n" } },
  { name: "alpha", version: "2.0", requires: ["beta>=1"], files: { "alpha.py": "import beta\n" } },
  { name: "beta", version: "1.5", files: { "beta.py": "" }, entry_points: "[console_scripts]\nbeta = beta:main\n" },
  { name: "checker", version: "3.0", files: { "checker.py": "" }, entry_points: "[pytest11]\nchecker = checker\n" },
];

const pyproject = `[project]
name = "Demo.App"
version = "1.4"
requires-python = ">=3.9"
dependencies = ["alpha<2"]
scripts = { demo = "demo.cli:main" }
[project.optional-dependencies]
test = ["checker"]
docs = ["nowhere"]
[project.entry-points."demo.plugins"]
one = "demo.one"
[project.entry-points.pytest11]
demo = "demo.plugin"
`;

test("an environment holds what the project asks for, its metadata and commands, and the path to its code", async () => {
  const asked = `
    import importlib.metadata as m, alpha, pytest, sys
    print(m.version("demo-app"), m.version("alpha"), [e.value for e in m.entry_points(group="demo.plugins")])
    print(m.requires("demo-app"), pytest.__version__, pytest.__file__)
    print([p for p in sys.path if "/env/" in p or "/work" in p or "/venv/" in p])`;
  const made = await environment(packages, {
    files: { "pyproject.toml": pyproject },
    verify: true,
    after: `cd /tmp; mkdir -p /workspace/src; /opt/tilth/env/bin/python -c '${asked.replaceAll(/^ {4}/gm, "")}'
      head -1 /opt/tilth/env/bin/{demo,beta,pytest}; /opt/tilth/env/bin/pytest --version; ls -A /opt/tilth/env
      cat /opt/tilth/env/lib/python3*/site-packages/tilth.pth; tail -c 140 /opt/tilth/env/tilth.json`,
  });
  expect(made.result, made.errors).toMatchObject({
    ok: true,
    packages: 3,
    taken: ["pyproject.toml [project]", "pyproject.toml [project.optional-dependencies] test"],
    said: [],
    project: { name: "Demo.App", version: "1.4" },
    names: [
      ["alpha", "1.0"],
      ["beta", "1.5"],
      ["checker", "3.0"],
    ],
  });
  expect(made.result.lock).toMatch(/^# .*\nalpha==1\.0 \\\n {4}--hash=sha256:[0-9a-f]{64}\nbeta==1\.5 \\\n/);
  expect(made.verified).toEqual({ digest: made.result.digest, differs: [] });
  expect(made.after).not.toMatch(/warning|error/i);
  expect(made.after.split("\n")).toEqual(
    expect.arrayContaining([
      "1.4 1.0 ['demo.one']",
      expect.stringMatching(
        /^\['alpha<2', 'nowhere; extra == "docs"', 'checker; extra == "test"'\] 9\.\S+ \/opt\/tilth\/venv\//,
      ),
      expect.stringMatching(
        /^\['\/opt\/tilth\/env\/lib\/python3\.\d+\/site-packages', '\/workspace', '\/workspace\/src', '\/opt\/tilth\/venv\/lib/,
      ),
      ...["==> /opt/tilth/env/bin/demo <==", "==> /opt/tilth/env/bin/beta <==", "==> /opt/tilth/env/bin/pytest <=="],
      "#!/opt/tilth/env/bin/python",
      expect.stringMatching(/^pytest 9\./),
      expect.stringMatching(/"plugins":\["checker"\],"pytest":\{"from":"image","version":"9\.\S*"\},"python":"3\./),
    ]),
  );
});

const told = `
[project]
name = "demo"
version = "1"
description = "Says\\nthings"
keywords = ["a", "b"]
license = "MIT"
authors = [{ name = "Ada" }, { name = "Bo", email = "bo@example.org" }, { email = "c@example.org" }]
classifiers = ["Typing :: Typed"]
urls = { Home = "https://example.org", Docs = "https://docs.example.org" }
`;
const cfg = `[metadata]\nname = demo\nversion = 1\ndescription = Says things\nauthor = Ada\nlicense = MIT\nurl = https://example.org
long_description = file: README.md\nclassifiers =\n  Typing :: Typed\n  Topic :: Text\nproject_urls =\n  Docs = https://docs.example.org\n`;

test("a project's description is in its metadata, for its own code to read", async () => {
  const shown = "from importlib.metadata import metadata; print([(k, v) for k, v in metadata('demo').items()][3:])";
  const after = `/opt/tilth/env/bin/python -c "${shown}"`;
  const setup =
    'from setuptools import setup\nsetup(name="demo", version="1", description="Says things", author="Ada")\n';
  const files = [{ "pyproject.toml": told }, { "setup.cfg": cfg }, { "setup.py": setup }];
  const [ofTable, ofConfig, ofSetup] = await environments(
    [],
    files.map((each) => ({ files: each, after })),
  );
  expect(ofTable?.after, ofTable?.errors).toBe(
    "[('Summary', 'Says\\nthings'), ('Keywords', 'a,b'), ('Author', 'Ada'), " +
      "('Author-email', 'Bo <bo@example.org>, c@example.org'), ('License-Expression', 'MIT'), " +
      "('Classifier', 'Typing :: Typed'), ('Project-URL', 'Home, https://example.org'), " +
      "('Project-URL', 'Docs, https://docs.example.org')]\n",
  );
  expect(ofConfig?.after).toBe(
    "[('Summary', 'Says things'), ('Home-page', 'https://example.org'), ('Author', 'Ada'), ('License', 'MIT'), " +
      "('Classifier', 'Typing :: Typed'), ('Classifier', 'Topic :: Text'), ('Project-URL', 'Docs, https://docs.example.org')]\n",
  );
  expect(ofSetup?.after).toBe("[('Summary', 'Says things'), ('Author', 'Ada')]\n");
});
