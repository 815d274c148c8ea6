import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostPath } from "../../runner/base/ids.js";
import { type SessionFiles, SessionStore, stageSeed } from "../../runner/index.js";
import { GitRepo } from "../helpers/git-repo.js";
import { of, wholeLog } from "../helpers/session-oracle.js";
import { Play, present, reply, writeFile } from "../helpers/session-play.js";
import { SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";

const greet = (version: string) => ({ name: "greet", version, files: { "greet/__init__.py": `v = "${version}"\n` } });

const task = (number: number, description: string, source: string) => ({
  ...{ id: `T-00${number}`, title: `Task ${number}`, description, acceptance_criteria: ["The test passes"] },
  test: { name: `test_t00${number}_it.py`, source },
});

const exists = (path: string) => `import pathlib\n\n\ndef test_it():\n    assert pathlib.Path("${path}").exists()\n`;

/** Stages the seed of a world over another repository of the same person. */
async function stageOther(world: SessionWorld, files: Readonly<Record<string, string>>): Promise<SessionFiles> {
  const other = new GitRepo();
  other.files(files).commit("base");
  const { settings } = world;
  const { id } = await stageSeed({
    ...{ settings, signal: new AbortController().signal, say: () => undefined, source: other.path },
    ...{ from: join(world.repo.root, "seed"), inFlight: "keep", trustSource: false },
  });
  return new SessionStore(hostPath(settings.home)).open(id);
}

const lockOf = ({ paths }: SessionFiles) => readFileSync(paths.environmentLock, "utf8");
const environmentOf = async (session: SessionFiles) => of(await wholeLog(session), "environment").at(-1);

test("an environment is shared by sessions that would be given the same one, and by no others", async () => {
  await using first = await TinyIndex.open([greet("1.0"), greet("2.0")]);
  await using second = await TinyIndex.open([greet("1.0"), greet("3.0")]);
  const play = new Play({
    "T-001": [reply([writeFile("requirements.txt", "greet\n"), writeFile("one", ""), present()])],
  });
  const world = await SessionWorld.open({
    files: { "requirements.txt": "greet==1.0\n" },
    tasks: [task(1, "requirements.txt asks for any greet.", exists("one"))],
    script: { worker: play.worker },
    env: { PIP_INDEX_URL: first.url },
  });
  await using _ = world;
  const pinned = await world.stage();
  expect([(await world.run(pinned)).stop.reason, play.surprises]).toEqual(["all_done", []]);
  expect(lockOf(pinned)).toContain("greet==1.0");

  const any = { "requirements.txt": "greet\n" };
  const other = await stageOther(world, { ...any, "README.md": "another project\n" });
  expect([lockOf(other).match(/greet==\S+/)?.[0], (await environmentOf(other))?.built]).toEqual(["greet==2.0", true]);

  const asked = first.asked.length;
  world.env.PIP_INDEX_URL = first.url.replace("http://", "http://me:secret@");
  const again = await stageOther(world, { ...any, "README.md": "the same needs, with a password\n" });
  expect(lockOf(again)).toBe(lockOf(other));
  expect(await environmentOf(again)).toMatchObject({ built: false, key: (await environmentOf(other))?.key });
  expect(first.asked.length).toBe(asked);

  world.env.PIP_INDEX_URL = second.url;
  const elsewhere = await stageOther(world, any);
  expect([lockOf(elsewhere).match(/greet==\S+/)?.[0], second.asked.length > 0]).toEqual(["greet==3.0", true]);
});
