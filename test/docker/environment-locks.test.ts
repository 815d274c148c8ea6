import { expect, test } from "vitest";
import { type Package, sharedEnvironments } from "../helpers/environments.js";

const of = (name: string, version: string, requires: string[] = []): Package => ({
  name,
  version,
  requires,
  files: { [`${name}.py`]: "" },
});
/** A source archive whose own backend leaves a mark when its code runs. */
const sourced = (name: string): Package => ({
  name,
  version: "1.0",
  wheel: false,
  sdist: {
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    "backend.py": `
import zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    open("/tmp/built-${name}", "w").close()
    info = "${name}-1.0.dist-info"
    with zipfile.ZipFile(f"{folder}/${name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("${name}.py", "")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", f"${name}.py,,\\n{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
    return "${name}-1.0-py3-none-any.whl"
`,
  },
});

const { environment, environments } = await sharedEnvironments();
const packages: Package[] = [
  ...[
    of("alpha", "1.0", ["beta"]),
    of("alpha", "2.0", ["beta"]),
    of("beta", "1.0"),
    of("beta", "2.0"),
    of("gamma", "1.0"),
  ],
  sourced("sourced"),
  sourced("unnamed"),
];
const project = '[project]\nname = "demo"\nversion = "1"\n';
const url = (name: string, version: string) =>
  `{ url = "https://elsewhere.example/${name}.whl", hash = "sha256:@bare:${name}-${version}@" }`;
const entry = (name: string, version: string, more = "") =>
  `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = { registry = "https://elsewhere.example/simple" }\n${more}wheels = [${url(name, version)}]\n`;
const uvLock = `version = 1
requires-python = ">=3.9"
[[package]]
name = "demo"
version = "1"
source = { editable = "." }
dependencies = [
  { name = "alpha", version = "1.0", source = { registry = "https://elsewhere.example/simple" }, marker = "python_full_version >= '3.9'" },
  { name = "alpha", version = "2.0", source = { registry = "https://elsewhere.example/simple" }, marker = "python_full_version < '3.9'" },
]
[package.dev-dependencies]
dev = [{ name = "gamma", extra = ["more"] }]
docs = [{ name = "vcs" }]
${entry("alpha", "1.0", 'dependencies = [{ name = "beta" }]\n')}${entry("alpha", "2.0")}${entry("beta", "1.0")}
${entry("gamma", "1.0", 'optional-dependencies = { more = [{ name = "demo" }] }\n')}
[[package]]
name = "vcs"
version = "1.0"
source = { git = "https://example.com/vcs?rev=1#abc" }
`;

test("uv.lock is followed from the project along the chosen groups, and installed by name, version and hash", async () => {
  const files = { "pyproject.toml": project, "uv.lock": uvLock };
  const git = uvLock.replace("docs = [", "test = [");
  const from = (source: string) => git.replace(/git = "[^"]*"/, source);
  const workspace = `${uvLock}[manifest]\nmembers = ["demo", "other"]\n`;
  const wrong = uvLock.replace("@bare:beta-1.0@", "0".repeat(64));
  const [plain, more, vcs, path, address, several, other, newer] = await environments(packages, [
    { files },
    { files: { ...files, "requirements-dev.txt": "sourced ; python_version < '3'\nbeta>=1\nalpha" } },
    { files: { ...files, "uv.lock": git } },
    { files: { ...files, "uv.lock": from('path = "/etc/vcs-1.0-py3-none-any.whl"') } },
    { files: { ...files, "uv.lock": from('url = "https://example.com/vcs-1.0-py3-none-any.whl"') } },
    { files: { ...files, "uv.lock": workspace } },
    { files: { ...files, "uv.lock": wrong } },
    { files: { ...files, "uv.lock": uvLock.replace(">=3.9", ">=3.99") } },
  ]);
  const names = [
    ["alpha", "1.0"],
    ["beta", "1.0"],
    ["gamma", "1.0"],
  ];
  expect(plain?.result, plain?.errors).toMatchObject({
    ok: true,
    names,
    taken: ["uv.lock [project]", "uv.lock group dev"],
  });
  expect(plain?.said.filter((line) => line.startsWith("resolving"))).toEqual([]);
  expect(more?.result).toMatchObject({
    ok: true,
    names,
    taken: ["uv.lock [project]", "uv.lock group dev", "requirements-dev.txt"],
  });
  expect(vcs?.result).toMatchObject({
    kind: "refused",
    problem: "uv.lock: vcs comes from version control, which is not taken.",
  });
  expect(path?.result.problem).toBe("uv.lock: vcs comes from a path, which is not taken.");
  expect(address?.result.problem).toBe("uv.lock: vcs comes from a URL, which is not taken.");
  for (const { asked } of [path, address].flatMap((one) => one ?? [])) expect(asked).toEqual([]);
  expect(several?.result).toMatchObject({
    kind: "refused",
    problem: expect.stringContaining("a workspace with several projects (demo and other)"),
  });
  expect(other?.result).toMatchObject({ ok: false, kind: "unresolved", problem: expect.stringMatching(/hash/i) });
  expect(newer?.result).toMatchObject({
    kind: "refused",
    problem: expect.stringContaining("uv.lock requires Python >=3.99"),
  });
});

const pylock = (rest: string) => `lock-version = "1.0"\ncreated-by = "test"\n${rest}`;
const locked = (name: string, version: string, more = "") =>
  `[[packages]]\nname = "${name}"\nversion = "${version}"\n${more}wheels = [{ url = "https://elsewhere.example/${name}-${version}-py3-none-any.whl", hashes = { sha256 = "@bare:${name}-${version}@" } }]\n`;

test("pylock.toml is installed as it is, but not what comes from version control or a path", async () => {
  const both = `${locked("alpha", "2.0", "marker = \"python_version < '3'\"\n")}${locked("alpha", "1.0", "marker = \"python_version > '3'\"\n")}${locked("beta", "2.0")}`;
  const [plain, vcs, folder] = await environments(packages, [
    { files: { "pylock.toml": pylock(both), "requirements.txt": "gamma" } },
    {
      files: {
        "pylock.toml": pylock(
          '[[packages]]\nname = "alpha"\nvcs = { type = "git", url = "https://x", commit-id = "1" }',
        ),
      },
    },
    { files: { "pylock.toml": pylock('[[packages]]\nname = "alpha"\ndirectory = { path = "./alpha" }') } },
  ]);
  expect(plain?.result, plain?.errors).toMatchObject({
    ok: true,
    taken: ["pylock.toml"],
    names: [
      ["alpha", "1.0"],
      ["beta", "2.0"],
    ],
  });
  expect(vcs?.result).toMatchObject({
    kind: "refused",
    problem: "pylock.toml: alpha comes from version control, which is not taken.",
  });
  expect(folder?.result).toMatchObject({
    kind: "refused",
    problem: "pylock.toml: alpha comes from a path, which is not taken.",
  });
});

test("a given lock is installed without resolving, and only pins with hashes are understood in it", async () => {
  const lines = [
    "alpha==1.0",
    "alpha @alpha-1.0@",
    "alpha==1.0 --hash=md5:00",
    "-r other.txt",
    "--index-url https://x",
    "alpha @ https://x @alpha-1.0@",
  ];
  const [given, hashless, ...wrong] = await environments(packages, [
    { files: { "requirements.txt": "alpha" }, lock: "# header\nalpha==1.0 \\\n    @alpha-1.0@\n" },
    { files: { "requirements.txt": "alpha" }, lock: `alpha==1.0 --hash=sha256:${"0".repeat(64)}` },
    ...lines.map((lock) => ({ lock })),
  ]);
  expect(given?.result).toMatchObject({ ok: true, names: [["alpha", "1.0"]], said: [] });
  expect(given?.asked.filter((path) => path.startsWith("/0/"))).toEqual(["/0/alpha/"]);
  expect(hashless?.result.ok).toBe(false);
  expect(wrong.map(({ result }) => [result.kind, result.problem])).toEqual(
    lines.map(() => [
      "refused",
      expect.stringMatching(/^The lock is not one that tilth wrote: environment\.lock line 1: /),
    ]),
  );
});

test("only files with the hashes that the project gives are taken", async () => {
  const other = `--hash=sha256:${"0".repeat(64)}`;
  const [honest, swapped, missing] = await environments(packages, [
    { files: { "requirements.txt": "alpha==1.0 @alpha-1.0@\nbeta==1.0 @beta-1.0@" } },
    { files: { "requirements.txt": `alpha==1.0 ${other}\nbeta==1.0 @beta-1.0@` } },
    { files: { "requirements.txt": "alpha==1.0 @alpha-1.0@" } },
  ]);
  expect(honest?.result).toMatchObject({
    ok: true,
    names: [
      ["alpha", "1.0"],
      ["beta", "1.0"],
    ],
  });
  expect(swapped?.result).toMatchObject({ ok: false, kind: "unresolved", problem: expect.stringMatching(/hash/i) });
  expect(missing?.result).toMatchObject({
    kind: "refused",
    problem: "The dependency files give every line a hash, and beta is required and not there.",
  });
});

test("a package without a wheel is refused by name with the setting, and only a named one is built", async () => {
  const files = { "requirements.txt": "sourced" };
  const after = "ls /tmp; rm -f /tmp/built*";
  const [naive, plain, other, given] = await environments(packages, [
    { files: { "requirements.txt": "sourced\nunnamed" }, from_source: ["sourced", "unnamed"], after },
    { files, after },
    { files: { "requirements.txt": "sourced\nunnamed" }, from_source: ["sourced"], after },
    { lock: "sourced==1.0 @sourced-1.0@\n", after },
  ]);
  const names = ["sourced", "unnamed"].map((name) => [name, "1.0"]);
  expect(naive?.result, naive?.errors).toMatchObject({ ok: true, names });
  expect(naive?.after).toBe("built-sourced\nbuilt-unnamed\n");
  const problem = (name: string) => expect.stringContaining(`There is no wheel that fits for ${name}, and only wheels`);
  expect(plain?.result).toMatchObject({
    ...{ kind: "refused", problem: problem("sourced") },
    remedy: expect.stringMatching(/set TILTH_BUILD_FROM_SOURCE=sourced$/),
  });
  expect(plain?.after).toBe("");
  expect(other?.result).toMatchObject({
    ...{ kind: "refused", problem: problem("unnamed") },
    remedy: expect.stringMatching(/set TILTH_BUILD_FROM_SOURCE=sourced,unnamed$/),
  });
  expect(other?.after).not.toContain("unnamed");
  expect(given?.result).toMatchObject({ kind: "refused", problem: problem("sourced") });
  expect(given?.after).toBe("");
});

test("uv reads nobody's configuration: no variables, no file, no netrc", async () => {
  const env = {
    UV_INDEX_URL: "http://127.0.0.1:1/",
    UV_DEFAULT_INDEX: "http://127.0.0.1:1/",
    UV_NO_INDEX: "1",
    UV_OVERRIDE: "/tmp/x",
    UV_CONFIG_FILE: "/tmp/x",
    HTTP_PROXY: "http://127.0.0.1:1",
    ALL_PROXY: "http://127.0.0.1:1",
    PIP_INDEX_URL: "http://127.0.0.1:1",
  };
  const made = await environment(packages, { files: { "requirements.txt": "beta", "uv.toml": "offline = true" }, env });
  expect(made.result).toMatchObject({ ok: true, names: [["beta", "2.0"]] });
});

test("a resolver's refusal and a silent index are told apart, without our own paths", async () => {
  const [conflict, unknown, silent] = await environments(packages, [
    { files: { "requirements.txt": "alpha\nbeta==3" } },
    { files: { "requirements.txt": "nowhere" } },
    { files: { "requirements.txt": "alpha" }, port: 9 },
  ]);
  expect(conflict?.result).toMatchObject({
    kind: "unresolved",
    problem: expect.stringContaining("no version of beta==3"),
  });
  expect(unknown?.result).toMatchObject({
    kind: "unresolved",
    problem: expect.stringContaining("nowhere was not found"),
  });
  expect(silent?.result).toMatchObject({ kind: "failed", problem: expect.stringContaining("the index") });
  for (const one of [conflict, unknown, silent]) expect(one?.result.problem).not.toMatch(/127\.0\.0\.1|\/tmp|in\.txt/);
});
