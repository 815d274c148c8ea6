import { expect, test } from "vitest";
import { type Job, sharedEnvironments } from "../helpers/environments.js";
import { someOf } from "../helpers/every.js";

const { environments } = await sharedEnvironments();

const packages = [{ name: "alpha", version: "1.0", files: { "alpha.py": "" } }];
const project = '[project]\nname = "demo"\nversion = "1"\n';

const hash = `sha256:${"a".repeat(64)}`;
const lines: Readonly<Record<string, string>> = {
  "alpha @ https://example.com/alpha-1.0-py3-none-any.whl": "line 2 (alpha): URLs are not taken: https://example.com/",
  "https://example.com/alpha.tar.gz": "line 2: URLs are not taken: https://example.com/alpha.tar.gz",
  "git+https://example.com/alpha.git@main#egg=alpha": "line 2: references to version control are not taken",
  "-e git+ssh://git@example.com/alpha": "line 2: references to version control are not taken",
  "alpha @ git+https://example.com/alpha": "line 2 (alpha): references to version control are not taken",
  "alpha @ file:///workspace/alpha": "line 2 (alpha): no path is taken but the project itself",
  [`alpha @ file:///etc/alpha-1.0-py3-none-any.whl --hash=${hash}`]: "line 2 (alpha): no path is taken",
  [`alpha @ https://example.com/alpha-1.0-py3-none-any.whl --hash=${hash}`]: "line 2 (alpha): URLs are not taken",
  "./vendored/alpha": "line 2: no path is taken but the project itself (.): ./vendored/alpha",
  "../alpha": "line 2: no path is taken",
  "-e ./other": "line 2: no path is taken",
  "--editable=..": "line 2: no path is taken",
  "/srv/alpha": "line 2: no path is taken",
  "alpha-1.0-py3-none-any.whl": "line 2: no path is taken",
  "file:alpha": "line 2: no path is taken",
  "~/alpha": "line 2: no path is taken",
  "-i https://example.com/simple": "line 2: -i names or trusts a package index",
  "-ihttps://example.com/simple": "line 2: -i names or trusts a package index",
  "--index-url=https://example.com/simple": "line 2: --index-url names or trusts a package index",
  "--extra-index-url https://example.com/simple": "line 2: --extra-index-url names or trusts",
  "--find-links https://example.com": "line 2: --find-links names or trusts",
  "-f wheels": "line 2: -f names or trusts",
  "--trusted-host example.com": "line 2: --trusted-host names or trusts",
  "--no-index": "line 2: --no-index names or trusts",
  "alpha --index-url https://example.com": "line 2 is not understood: alpha --index-url",
  "alpha==1.0 --config-settings=x=y": "line 2 is not understood",
  "alpha==1.0 --hash=md5:0123": "line 2 is not understood",
  "--use-feature=fast-deps": "line 2 is not understood: --use-feature=fast-deps",
  "--index https://example.com": "line 2 is not understood: --index",
  "alpha==${VERSION}": `line 2: \${VERSION} is an environment variable`,
  "alpha = 1.0": "line 2 is not understood: alpha = 1.0",
  "alph\u0430": "line 2 is not understood",
  "al\u200bpha": "line 2 is not understood: al\\u200bpha",
  "--no-binary alpha": "line 2: alpha is to be built from source, and only wheels are taken",
  "--no-binary=:all:": "line 2: :all: is to be built from source",
  "-r ../outside.txt": "line 2: ../outside.txt leads out of the repository",
  "-r /etc/passwd": "line 2: /etc/passwd leads out of the repository",
  "-r missing.txt": "line 2: there is no file missing.txt in the repository",
  "-c https://example.com/constraints.txt": "line 2: URLs are not taken",
  ".[nothing]": "line 2: the project has no extra nothing",
  "alpha'": "line 2 is not understood",
  "-r 'unfinished": "line 2 is not understood",
};

const reasons = ["URLs", "version control", "no path", "names or trusts", "not understood", "source", "leads out"];
const tried = someOf(Object.entries(lines), 3, ([, said]) => reasons.find((reason) => said.includes(reason)) ?? said);

test("a requirements file is refused by file and line for any line that is no requirement of a release", async () => {
  const jobs = tried.map(([line]) => ({
    files: { "pyproject.toml": project, "requirements.txt": `alpha\n${line}\n` },
  }));
  const ran = await environments(packages, jobs);
  const problems = ran.map(({ result }) => [result.ok, result.kind, result.problem]);
  const expected = tried.map(([, said]) => [false, "refused", expect.stringContaining(`requirements.txt ${said}`)]);
  expect(problems).toEqual(expected);
  expect(ran.flatMap(({ asked }) => asked)).toEqual([]);
});

test("a resolver that reads the requirements file itself follows its addresses, and ours goes nowhere", async () => {
  const sending = [
    "--extra-index-url http://127.0.0.1:@port@/hostile/",
    "beta @ http://127.0.0.1:@port@/hostile/beta-1.0-py3-none-any.whl",
  ];
  const naive =
    "uv pip compile -q --no-cache --default-index http://127.0.0.1:$PORT/0/ /tmp/requirements.txt 2>/dev/null";
  const ran = await environments(
    packages,
    sending.map((line) => ({
      files: { "requirements.txt": `alpha\n${line}\n` },
      after: `printf 'alpha\n%s\n' "${line.replace("@port@", "$PORT")}" > /tmp/requirements.txt; ${naive}`,
    })),
  );
  expect(ran.map(({ result, asked }) => [result.kind, asked])).toEqual([
    ["refused", []],
    ["refused", []],
  ]);
  for (const { asked_afterwards } of ran) expect(asked_afterwards.join(" ")).toContain("/hostile/");
});

const repeat = (text: string, times: number) => text.repeat(times);

const others: readonly [NonNullable<Job["files"]>, string][] = [
  [
    { "requirements.txt": "-r a.txt", "a.txt": "\n\n-r b.txt", "b.txt": "git+https://x" },
    "b.txt line 1: references to",
  ],
  [{ "requirements.txt": "alpha\n-c c.txt", "c.txt": "alpha @ https://x" }, "c.txt line 1 (alpha): URLs are not taken"],
  [
    { "requirements.txt": "alpha \\\n  ; python_version > '3' \\\n --bad" },
    "requirements.txt line 1 is not understood",
  ],
  [
    { "pyproject.toml": `${project}dependencies = [\n"alpha",\n"beta @ https://x/b.whl"]` },
    "pyproject.toml line 6 ([project] dependencies) (beta): URLs",
  ],
  [
    { "pyproject.toml": `${project}dependencies = [\n"alpha>"]` },
    "pyproject.toml line 5 ([project] dependencies) is not understood",
  ],
  [
    { "pyproject.toml": `${project}[dependency-groups]\ndev = ["git+https://x"]` },
    "line 5 ([dependency-groups] dev): references to version",
  ],
  [
    { "pyproject.toml": `${project}[dependency-groups]\ndev = [{include-group = "dev"}]` },
    "dev is missing, is no list, or includes itself",
  ],
  [
    { "setup.cfg": "[metadata]\nname = demo\n[options]\ninstall_requires =\n  ./x\n" },
    "setup.cfg line 5 (install_requires): no path",
  ],
  [
    { "pyproject.toml": `${project}requires-python = ">=3.99"` },
    "The project requires Python >=3.99, and the image has Python 3.",
  ],
  [
    { "setup.cfg": "[metadata]\nname = demo\n[options]\npython_requires = <3\n" },
    "The project requires Python <3, and the image has",
  ],
  [
    { "pyproject.toml": '[project]\nname = "pluggy"\nversion = "1"' },
    "The project is pluggy, which tilth's own checks import",
  ],
  [{ "setup.cfg": "[metadata]\nname = PyTest\n" }, "The project is PyTest, which tilth's own checks import"],
  [
    { "pyproject.toml": '[tool.poetry]\nname = "demo"\n[tool.poetry.dependencies]\nalpha = "*"' },
    "pyproject.toml has [tool.poetry] and no [project]",
  ],
  [
    { "pyproject.toml": `${project}dependencies = ["alpha"]\n[tool.uv.sources]\nAlpha = { git = "https://x" }` },
    "alpha is to come from a place of its own (git, in",
  ],
  [{ "pyproject.toml": "[project" }, "pyproject.toml cannot be read: "],
  [{ "pyproject.toml": `a = ${repeat("[", 100_000)}` }, "pyproject.toml cannot be read: it is nested too deeply"],
  [{ "pyproject.toml": `[${repeat("a.", 450_000)}a]` }, "pyproject.toml cannot be read: it is nested too deeply"],
  [{ "pyproject.toml": '[project]\nname = "a b"' }, "pyproject.toml: a b is no name of a distribution"],
  [{ "uv.lock": `version = 1\nx = ${repeat("{a=", 100_000)}` }, "uv.lock cannot be read"],
  [
    { "requirements.txt": { base64: Buffer.alloc(100).toString("base64") } },
    "requirements.txt line 1 is not understood",
  ],
  [{ "requirements.txt": repeat("alpha\n", 160_000) }, "ask for more than 10000 things"],
  [{ "requirements.txt": `alpha${repeat(" ", 999_000)}x` }, "requirements.txt line 1 is longer than"],
  [{ "requirements.txt": `alpha ; ${repeat("(", 90_000)}` }, "requirements.txt line 1 is not understood"],
  [{ "requirements.txt": repeat("#", 1_000_001) }, "requirements.txt cannot be read: it is larger than 1 MB"],
  [{ "requirements.txt": { base64: "/8H/" } }, "requirements.txt cannot be read: it is not UTF-8 text"],
  [
    Object.fromEntries([
      ["requirements.txt", "-r 0.txt"],
      ...Array.from({ length: 60 }, (_, at) => [`${at}.txt`, `-r ${at + 1}.txt`]),
    ]),
    "50.txt is included through more than 50 files",
  ],
  [{ "requirements.txt": "alpha\nbeta==1.0 @alpha-1.0@" }, "requirements.txt line 1: alpha has no hash"],
];

test("every other dependency file is refused in the same way, before any index is asked", async () => {
  const ran = await environments(
    packages,
    others.map(([files]) => ({ files })),
  );
  const expected = others.map(([, said]) => [false, "refused", expect.stringContaining(said)]);
  expect(ran.map(({ result }) => [result.ok, result.kind, result.problem])).toEqual(expected);
  expect(ran.flatMap(({ asked }) => asked)).toEqual([]);
  for (const { seconds } of ran) expect(seconds).toBeLessThan(45);
});

test("an entry that nobody uses is no error: another extra, a comment, a group that is not chosen", async () => {
  const files = {
    "pyproject.toml": `${project}dependencies = ["alpha"]
[project.optional-dependencies]
docs = ["theme @ https://example.com/theme.whl"]
[dependency-groups]
lint = ["tool @ git+https://example.com/tool"]
[tool.uv.sources]
theme = { path = "../theme" }`,
    "requirements-lint.txt": "-i https://example.com/simple",
  };
  const [plain] = await environments(packages, [{ files }]);
  expect(plain?.result, plain?.errors).toMatchObject({ ok: true, names: [["alpha", "1.0"]], said: [] });
});
