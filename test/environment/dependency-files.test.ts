import { expect, test } from "vitest";
import { dependencyFiles, mayDeclare, type TreeFiles } from "../../runner/environment/dependency-files.js";
import { environmentKey } from "../../runner/environment/environment-key.js";
import { withHeld } from "../../runner/environment/files-in-force.js";

function tree(files: Readonly<Record<string, string>>): TreeFiles {
  return {
    blobs: async () => new Map(Object.entries(files)),
    read: async (path, maxBytes) => {
      const bytes = files[path] === undefined ? null : Buffer.from(files[path]);
      return bytes && bytes.length <= maxBytes ? bytes : null;
    },
  };
}

const found = async (files: Readonly<Record<string, string>>, named: readonly string[] | null = null) =>
  [...(await dependencyFiles(tree(files), named)).files.keys()].sort();

test("files that can declare dependencies are found by name, in the root and where requirements are kept", async () => {
  const files = {
    "pyproject.toml": "[project]\n",
    "uv.lock": "",
    "requirements-dev.txt": "",
    "requirements/test.txt": "",
    "docs/requirements.txt": "",
    "src/app.py": "",
    "notes.txt": "",
  };
  expect(await found(files)).toEqual(["pyproject.toml", "requirements-dev.txt", "requirements/test.txt", "uv.lock"]);
});

test("files that they include come along, from anywhere in the base", async () => {
  const files = {
    "requirements.txt": "-r deps/base.in.txt\n--constraint=pins.txt\n-r ../outside.txt\n-r missing.txt\n",
    "deps/base.in.txt": "requests\n  -c ../pins.txt  # pinned\n",
    "pins.txt": "requests==2\n",
    "outside.txt": "",
  };
  expect(await found(files)).toEqual(["deps/base.in.txt", "pins.txt", "requirements.txt"]);
});

test("files that a named file includes come along too, whatever they are called", async () => {
  const files = { "needs/base.in": "-r more.in\n", "needs/more.in": "-c pins.txt\n", "needs/pins.txt": "", "a.in": "" };
  expect(await found(files, ["needs/base.in"])).toEqual(["needs/base.in", "needs/more.in", "needs/pins.txt"]);
});

test("files that include one another are read once", async () => {
  expect(
    await found({ "requirements.txt": "-r requirements.txt\n-r a.txt\n", "a.txt": "-r requirements.txt\n" }),
  ).toEqual(["a.txt", "requirements.txt"]);
});

test.each([
  ["a pyproject.toml that only configures tools", { "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ''\n" }],
  ["a setup.cfg that only configures tools", { "setup.cfg": "[flake8]\nmax-line-length = 100\n" }],
  ["no such file at all", { "app.py": "import requests\n" }],
])("%s asks for no environment", async (_, files) => {
  expect((await dependencyFiles(tree(files), null)).declares).toBe(false);
});

test.each([
  ["pyproject.toml", "[project]\nname = 'a'\n"],
  ["pyproject.toml", "[dependency-groups]\ndev = []\n"],
  ["pyproject.toml", "[tool.poetry.dependencies]\n"],
  ["setup.cfg", "[options]\ninstall_requires = requests\n"],
  ["setup.py", "from setuptools import setup\nsetup(install_requires=['requests'])\n"],
  ["test-requirements.txt", "mock\n"],
])("%s can ask for an environment: %j", async (path, text) => {
  const { files, declares } = await dependencyFiles(tree({ [path]: text }), null);
  expect([[...files.keys()], declares]).toEqual([[path], true]);
});

test("a person can name other files, and a name that is not in the base is refused", async () => {
  const files = { "backend/deps.txt": "requests\n", "pyproject.toml": "[project]\n" };
  expect(await found(files, ["backend/deps.txt"])).toEqual(["backend/deps.txt", "pyproject.toml"]);
  await expect(dependencyFiles(tree(files), ["backend/dep.txt"])).rejects.toMatchObject({
    code: "usage",
    message: "TILTH_DEPENDENCIES names backend/dep.txt, which is not there",
  });
  expect([mayDeclare("backend/deps.txt", ["backend/deps.txt"]), mayDeclare("backend/deps.txt", null)]).toEqual([
    true,
    false,
  ]);
});

test("a file larger than anybody writes by hand is refused, not cut", async () => {
  const files = { "requirements.txt": "a\n".repeat(5_000_000) };
  await expect(dependencyFiles(tree(files), null)).rejects.toMatchObject({ code: "usage" });
});

test.each([
  ["line ends", "pyproject.toml", "\n".repeat(8_000_000)],
  ["blanks", "pyproject.toml", " ".repeat(8_000_000)],
  ["opening brackets", "setup.cfg", "[ \n".repeat(2_000_000)],
  ["includes of one file", "requirements.txt", "-r requirements.txt\n".repeat(400_000)],
  ["equals signs", "requirements.txt", `-r${"=".repeat(8_000_000)}`],
])("a file of nothing but %s is read in time linear to its length", async (_, path, text) => {
  const started = performance.now();
  await dependencyFiles(tree({ [path]: text }), null);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("so many large files that they could not be held together are refused", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 5 }, (_, at) => [`requirements/${at}.txt`, "#".repeat(8_000_000)]),
  );
  await expect(dependencyFiles(tree(files), null)).rejects.toMatchObject({
    code: "usage",
    message: "with requirements/4.txt, the dependency files are more than 32 MB together",
  });
});

test("files that are held count as they are in force, whatever the tree has in them", async () => {
  const [now, inForce] = [
    tree({ "requirements.txt": "new\n", "pyproject.toml": "[project]\n", "requirements-dev.txt": "added\n" }),
    tree({ "requirements.txt": "old\n", "uv.lock": "" }),
  ];
  const held = new Set(["requirements.txt", "uv.lock", "requirements-dev.txt", "gone.txt"]);
  const mixed = await dependencyFiles(
    withHeld(now, inForce, (path) => held.has(path)),
    null,
  );
  const texts = [...mixed.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);
  expect(texts).toEqual([
    ["pyproject.toml", "[project]\n"],
    ["requirements.txt", "old\n"],
    ["uv.lock", ""],
  ]);
});

test("an environment's key depends on everything that decides what is in it, and on nothing else", () => {
  const choice = { dependencies: null, fromSource: [], version: null };
  const files = new Map([["requirements.txt", Buffer.from("a\n")]]);
  const indexes = ["https://one.example/simple/", "https://two.example/simple/"];
  const of = { files, choice, recipe: "r", platform: "linux amd64 Python 3.11.2", indexes, prefer: null, image: "i" };
  const key = environmentKey(of);
  const fromSource = { ...of, choice: { ...choice, fromSource: ["a"] } };
  const others = [
    { ...of, files: new Map([["requirements.txt", Buffer.from("b\n")]]) },
    { ...of, files: new Map([["requirements-dev.txt", Buffer.from("a\n")]]) },
    { ...of, choice: { ...choice, dependencies: ["requirements.txt"] } },
    { ...of, choice: { ...choice, version: "v2" } },
    { ...of, recipe: "s" },
    { ...of, platform: "linux arm64 Python 3.11.2" },
    { ...of, indexes: ["https://two.example/simple/", "https://one.example/simple/"] },
    { ...of, indexes: ["https://one.example/simple/"] },
    { ...of, prefer: "a==1\n" },
    { ...of, prefer: "" },
    fromSource,
    { ...fromSource, image: "j" },
  ];
  expect(new Set([key, ...others.map(environmentKey)]).size).toBe(others.length + 1);
  expect(environmentKey({ ...of, files: new Map(files), image: "j" })).toBe(key);
});
