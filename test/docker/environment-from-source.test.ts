import { expect, test } from "vitest";
import type { Turn } from "../../runner/demo/script/script.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";
import { zipOf } from "../helpers/zip.js";

/** Builds its wheel, and on the way writes wherever it is allowed to. */
const backend = `import base64, glob, hashlib, os, zipfile

MARK = "MARKER-OF-A-BUILD"


def mark():
    site = glob.glob("/opt/tilth/env/lib/*/site-packages") + ["/opt/tilth/env", "/opt/tilth/env/bin"]
    for folder in [*site, "/tmp", "/workspace", "/repo", "/opt/tilth", "/usr/lib/python3", os.path.expanduser("~")]:
        for name in ("marker.txt", "sitecustomize.py", "greet.py", "pytest"):
            try:
                with open(os.path.join(folder, name), "w") as file:
                    file.write(f"raise SystemExit({MARK!r})")
            except OSError:
                pass


def build_wheel(folder, config_settings=None, metadata_directory=None):
    mark()
    files = {
        "legacy.py": "def old():\\n    return 'built'\\n",
        "legacy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: legacy\\nVersion: 1.0\\n",
        "legacy-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(text)}\\n"
    files["legacy-1.0.dist-info/RECORD"] = record + "legacy-1.0.dist-info/RECORD,,\\n"
    with zipfile.ZipFile(os.path.join(folder, "legacy-1.0-py3-none-any.whl"), "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return "legacy-1.0-py3-none-any.whl"
`.replaceAll("\\\\", "\\");

const sdist = zipOf({
  "legacy-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: legacy\nVersion: 1.0\n",
  "legacy-1.0/backend.py": backend,
  "legacy-1.0/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
});

const test001 = `from legacy import old
from uses import used


def test_used():
    assert used() == old() == "built"
`;
const task = {
  ...{ id: "T-001", title: "Use", description: "uses.used gives what legacy gives.", acceptance_criteria: ["it does"] },
  test: { name: "test_t001_use.py", source: test001 },
};
const look = "grep -rl MARKER-OF-A-BUILD /opt /tmp /home /usr/lib /workspace /repo 2>/dev/null | sort; echo looked";
const theCase = {
  ...{ summary: "It is used.", work_arounds: [], uncertainties: [] },
  ac_coverage: [{ criterion: "1", addressed_by: "uses.py:used" }],
};
const worker: readonly Turn[] = [
  { calls: [["bash", { command: look }]] },
  {
    calls: [
      ["write_file", { path: "uses.py", content: "from legacy import old\n\n\ndef used():\n    return old()\n" }],
      ["submit_case", theCase],
    ],
  },
];
const files = { "requirements.txt": "legacy\n" };

test("a source-only package is refused by name until a setting allows it, and its build leaves only its wheel", async () => {
  await using index = await TinyIndex.open([]);
  index.addFile("legacy", "legacy-1.0.zip", sdist);
  await using world = await SessionWorld.open({
    ...{ files, tasks: [task], script: { worker: [...worker] } },
    env: { PIP_INDEX_URL: index.url },
  });
  await expect(world.stage()).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("There is no wheel that fits for legacy"),
    hint: expect.stringMatching(/TILTH_BUILD_FROM_SOURCE=legacy$/),
  });
  expect([world.sessions(), await world.environments()]).toEqual([[], []]);

  world.env.TILTH_BUILD_FROM_SOURCE = "legacy";
  const session = await world.stage();
  const end = await world.run(session);
  const events = await wholeLog(session);
  expect(of(events, "tool_result")[0]?.content).toMatch(/^looked$/m);
  expect(of(events, "tool_result")[0]?.content).not.toContain("/");
  expect(end.stop.reason).toBe("all_done");
  const roles = of(events, "isolation_receipt").map(({ role }) => role);
  expect(roles.filter((role) => role === "build" || role === "work")).toEqual(["build", "build", "work"]);
  expect(await world.environments()).toHaveLength(1);
});
