import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { verifySession } from "../../runner/index.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { honestPart, partsProject, partTask } from "../helpers/session-parts.js";
import { Play, present, reply, writeFile } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";

const used = "def used():\n    return 7\n";
const files = {
  ...partsProject(2),
  "pyproject.toml": '[project]\nname = "parts"\nversion = "1"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  "parts/used.py": used,
  "tests/test_used.py": `import socket

from parts.used import used


def test_used():
    assert used() == 7


def test_network():
    socket.create_connection(("192.0.2.1", 80))
`,
};
const broken = writeFile("parts/used.py", used.replace("7", "8"));
const mended = writeFile("parts/used.py", used);
const added = writeFile(
  "tests/test_parts.py",
  "from parts.p1 import value\n\n\ndef test_value():\n    assert value() == 11\n",
);
const name = "tests/test_used.py::test_used";

test("a session holds the project's own tests from staging to verify, and those that its tasks add", async () => {
  const play = new Play({
    "T-001": [
      reply([honestPart(1), broken, present()]),
      reply(
        [mended, added, present()],
        /./,
        /./,
        /own_tests: failed(.|\n)*test_used does not pass any more(.|\n)*assert 8 == 7/,
      ),
    ],
    "T-002": [reply([honestPart(2), present()])],
  });
  await using world = await SessionWorld.open({
    files,
    tasks: [partTask(1), partTask(2)],
    script: { worker: play.worker },
    env: { TILTH_DEPENDENCIES: "none" },
  });
  const session = await world.stage();
  expect(world.said).toContain("your tests: 1 pass, 1 fails already (tests/test_used.py::test_network)");
  const end = await world.run(session);
  expect(play.surprises).toEqual([]);
  expect(end.stop.reason).toBe("all_done");
  const log = await wholeLog(session);
  expect(of(log, "base_suite")).toMatchObject([{ at: "staging", held: { "tests/test_used.py": ["test_used"] } }]);
  expect(of(log, "suite_run").map(({ task_id, passed, failed, joined }) => [task_id, passed, failed, joined])).toEqual([
    ["T-001", false, [name], []],
    ["T-001", true, [], ["tests/test_parts.py::test_value"]],
    ["T-002", true, [], []],
  ]);

  const { signal } = new AbortController();
  const order = { settings: world.settings, files: session, signal, say: () => undefined };
  const whole = readFileSync(session.paths.events, "utf8");
  // as if a broken tree had been taken for T-001: only the record of that task differs from what the tests say
  writeFileSync(session.paths.events, whole.replace(`"failed":[],"changed":[]`, `"failed":["${name}"],"changed":[]`));
  const { differs } = await verifySession(order);
  expect(differs.map(({ what }) => what)).toEqual(["own tests of the project, for T-001, run again"]);
});
