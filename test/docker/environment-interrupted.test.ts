import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { pruneEnvironments } from "../../runner/index.js";
import { CliStage } from "../helpers/cli-stage.js";
import { someOf } from "../helpers/every.js";
import { git } from "../helpers/fake-git.js";
import { filesHolding } from "../helpers/session-disk.js";
import { soon } from "../helpers/soon.js";
import { makeSource } from "../helpers/sources.js";
import { until } from "../helpers/stopped.js";
import { TinyIndex } from "../helpers/tiny-index.js";

const greet = { name: "greet", version: "1.0" };

/** An index that holds its page back until it is let go. */
async function holding() {
  const index = await TinyIndex.open([greet]);
  const page = await (await fetch(`${index.url}greet/`)).text();
  let letGo: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const authorizations: (string | undefined)[] = [];
  index.odd.set("/simple/greet/", (asked, answer) => {
    authorizations.push(asked.headers.authorization);
    void gone.then(() => answer.writeHead(200, { "content-type": "text/html" }).end(page));
  });
  return { index, authorizations, letGo: () => letGo() };
}

async function needing(source: string): Promise<void> {
  writeFileSync(join(source, "requirements.txt"), "greet\n");
  await git(["add", "requirements.txt"], { cwd: source });
  await git(["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "needs greet"], {
    cwd: source,
  });
}

const volumes = async (stage: CliStage) => (await stage.onEngine()).filter((each) => each.includes("tilth-env-"));
const lockOf = (stage: CliStage, id: string) =>
  readFileSync(join(stage.tilth.home, "sessions", id, "environment.lock"), "utf8");

test("a killed build leaves nothing that the next one would take for an environment", async () => {
  const { index, authorizations, letGo } = await holding();
  await using _ = index;
  const url = index.url.replace("//", "//ada:s3cret-of-ada@");
  await using stage = await CliStage.open({ PIP_INDEX_URL: url });
  await needing(stage.source);
  const first = stage.tilth.start(["seed", stage.source, "--from", stage.seed]);
  await until(() => authorizations.length > 0);
  const building = await stage.containers("build");
  const seen = await Promise.all(building.map((id) => stage.engine.docker.getContainer(id).inspect()));
  expect(building.length).toBeGreaterThan(0);
  expect(JSON.stringify(seen)).not.toContain("s3cret");
  expect(await volumes(stage)).toHaveLength(1);
  first.process.kill("SIGKILL");
  await first.ended;
  letGo();
  await soon(() => stage.onEngine("containers")).toEqual([]);

  const second = await stage.tilth.run(["seed", stage.source, "--from", stage.seed, "--force"]);
  expect([second.code, second.stderr]).toEqual([0, expect.stringContaining("environment: 1 package")]);
  const id = /session (\S+) is prepared/.exec(second.stdout)?.[1] ?? "";
  expect(lockOf(stage, id)).toMatch(/^greet==1\.0 /m);
  const [left = "", ...others] = await volumes(stage);
  expect(others).toEqual([]);

  expect(authorizations[0]).toBe(`Basic ${Buffer.from("ada:s3cret-of-ada").toString("base64")}`);
  const needles = ["s3cret-of-ada", Buffer.from("ada:s3cret-of-ada").toString("base64")];
  expect(filesHolding(stage.tilth.root, needles)).toEqual([]);
  expect(needles.filter((needle) => (second.stdout + second.stderr).includes(needle))).toEqual([]);
  const mounted = ["run", "--rm", "--network", "none", "--entrypoint", "grep", "-v", `${left.split(" ")[1]}:/made:ro`];
  const image = seen[0]?.Image ?? "";
  const found = () => execFileSync("docker", [...mounted, image, "-rlE", needles.join("|"), "/made"]);
  expect(found).toThrow(expect.objectContaining({ status: 1 }));
});

test("two builds of the same environment at once both get it, and leftovers are removed", async () => {
  const { index, authorizations, letGo } = await holding();
  await using _ = index;
  await using stage = await CliStage.open({ PIP_INDEX_URL: index.url });
  const other = join(stage.tilth.root, "other");
  await makeSource(other, { "pkg/__init__.py": "", "AGENTS.md": "Plain Python.\n" });
  for (const source of [stage.source, other]) await needing(source);
  const both = [stage.source, other].map((source) => stage.tilth.start(["seed", source, "--from", stage.seed]));
  await until(() => authorizations.length > 1);
  letGo();
  const ended = await Promise.all(both.map((each) => each.ended));
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, expect.stringContaining("environment: 1 package")],
    [0, expect.stringContaining("environment: 1 package")],
  ]);
  const ids = ended.map(({ stdout }) => /session (\S+) is prepared/.exec(stdout)?.[1] ?? "");
  expect(lockOf(stage, ids[0] ?? "")).toBe(lockOf(stage, ids[1] ?? ""));
  const settings = loadSettings({ ...stage.tilth.env });
  expect(await pruneEnvironments(settings, new AbortController().signal)).toMatchObject({ removed: [], kept: 1 });
  expect(await volumes(stage)).toEqual([expect.stringContaining("tilth-env-")]);
});

const unusable: readonly (readonly [named: string, said: RegExp])[] = [
  ["../outside.txt", /TILTH_DEPENDENCIES/],
  ["/etc/passwd", /TILTH_DEPENDENCIES/],
  ["*.txt", /TILTH_DEPENDENCIES/],
  ["requirements.txt/../../outside.txt", /TILTH_DEPENDENCIES/],
  ["linked.txt", /TILTH_DEPENDENCIES names linked\.txt, which is not there/],
  ["folder.txt", /TILTH_DEPENDENCIES names folder\.txt, which is not there/],
];

test("TILTH_DEPENDENCIES may name only files of the base, and nothing outside of the base is read", async () => {
  await using index = await TinyIndex.open([greet]);
  await using stage = await CliStage.open({ PIP_INDEX_URL: index.url });
  writeFileSync(join(stage.tilth.root, "outside.txt"), "greet\n");
  mkdirSync(join(stage.source, "folder.txt"));
  writeFileSync(join(stage.source, "folder.txt", "requirements.txt"), "greet\n");
  symlinkSync("../outside.txt", join(stage.source, "linked.txt"));
  await git(["add", "-A"], { cwd: stage.source });
  await needing(stage.source);
  for (const [named, said] of someOf(unusable, 3, ([, { source }]) => source)) {
    const seeding = stage.tilth.run(["seed", stage.source, "--from", stage.seed], { TILTH_DEPENDENCIES: named });
    expect(await seeding, named).toMatchObject({ code: 2, stderr: expect.stringMatching(said) });
  }
  expect([index.asked, stage.tilth.sessions(), existsSync(join(stage.tilth.home, "environments"))]).toEqual([
    [],
    [],
    false,
  ]);
});
