import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings } from "../../cli/settings/settings.js";
import { TilthError } from "../../runner/base/errors.js";
import { Engine } from "../../runner/hands/docker/engine/engine.js";
import { buildImage } from "../../runner/hands/docker/image/image-build.js";
import { findImage, listImages } from "../../runner/hands/docker/image/image-find.js";
import { recipeOn } from "../../runner/hands/docker/image/image-recipe.js";
import { verifyImage } from "../../runner/hands/docker/image/image-verify.js";
import type { HandsImage } from "../../runner/hands/ports/hands.js";
import type { Settings } from "../../runner/settings/settings.js";
import { realImage } from "../helpers/image.js";
import { buildTrial, removeTrial, trialTag } from "../helpers/image-trials.js";
import { quickest } from "../helpers/quickest.js";

const { signal } = new AbortController();
const settings = loadSettings();
const findSetuid = "find / -xdev -perm /6000 -print";
let engine: Engine;
let image: HandsImage;

beforeAll(async () => {
  engine = await Engine.connect(settings, signal);
  image = await realImage(engine);
}, 600_000);

function withOwn(reference: string): Settings {
  return { ...settings, sandbox: { ...settings.sandbox, image: reference } };
}

describe("the hands image", () => {
  test("is found again at once by its tag", async () => {
    const found = async () => expect((await findImage(engine, settings, signal))?.id).toBe(image.id);
    expect(await quickest(found, 1_000)).toBeLessThan(1_000);
  });

  test("names the tools that the prompts mention", () => {
    expect(image.tools.map((line) => line.split(" ")[0])).toEqual(["Python", "pytest", "ruff", "uv", "git", "ripgrep"]);
  });

  test("takes seconds to build a second time, and says the same", async () => {
    const again = await buildImage({ engine, settings, signal, say: () => {} });
    expect(again).toMatchObject({ recipe: image.recipe, tools: image.tools });
  }, 30_000);

  test("is listed as the one in use", async () => {
    const current = (await listImages(engine, settings, signal)).filter((listed) => listed.current);
    expect(current).toHaveLength(1);
    expect(current[0]?.recipe).toBe(image.recipe);
  });

  test("is listed without a tag once it has lost its own", async () => {
    const { docker } = await Engine.connect(settings, signal);
    const found = (await docker.listImages()).find(({ Id }) => Id === image.id);
    const untagged = Object.assign(Object.create(engine), {
      docker: Object.assign(docker, { listImages: async () => [{ ...found, RepoTags: ["<none>:<none>"] }] }),
    });
    expect(await listImages(untagged, settings, signal)).toMatchObject([{ tags: [] }]);
  });

  test("matches its recipe when asked, and says what was compared", async () => {
    const { same, compares, comparisons } = await verifyImage(engine, settings, signal);
    expect(comparisons.filter((comparison) => !comparison.same)).toEqual([]);
    expect(same).toBe(true);
    expect(compares).toContain("lock");
  });

  test("knows time zones and the names of services and protocols, on whatever base it stands", async () => {
    const script = `import socket, zoneinfo
print(zoneinfo.ZoneInfo("America/Chicago"), socket.getservbyname("https"), socket.getprotobyname("tcp"))`;
    expect(await runIn(image.id, ["/opt/tilth/python", "-c", script])).toBe("America/Chicago 443 6");
  });

  test("holds nothing setuid, four folders to mount on, and python under every name", async () => {
    const script = `${findSetuid}; stat -c '%a %U' /workspace /repo /home/tilth /opt/tilth/env;
      for name in python python3 pytest ruff uv rg git; do command -v $name; done`;
    expect((await runIn(image.id, ["/bin/sh", "-c", script])).split(/\s*\n/)).toEqual([
      ...["777 root", "777 root", "777 root", "777 root"],
      ...["python", "python3", "pytest", "ruff", "uv"].map((name) => `/opt/tilth/venv/bin/${name}`),
      ...["/usr/bin/rg", "/usr/bin/git"],
    ]);
  });
});

describe("an image that only looks like ours", () => {
  const tag = trialTag("impostor");
  afterAll(() => removeTrial(engine.docker, tag));

  test("is not accepted for its label alone, nor for its tag alone", async () => {
    const baseImage = `sha256:${randomBytes(32).toString("hex")}`;
    const elsewhere = { ...settings, baseImage };
    const recipe = recipeOn({ identity: `image ${baseImage}`, shown: "" });
    await buildTrial(engine.docker, tag, { Dockerfile: `FROM ${image.id}\n` }, { "tilth.recipe": recipe.id });
    expect(await findImage(engine, elsewhere, signal)).toBeNull();
    const named = { repo: "tilth-hands", tag: recipe.id.slice(0, 12) };
    try {
      await engine.docker.getImage(image.id).tag(named);
      expect(await findImage(engine, elsewhere, signal)).toBeNull();
      await engine.docker.getImage(tag).tag(named);
      expect(await findImage(engine, elsewhere, signal)).not.toBeNull();
    } finally {
      await engine.docker.getImage(recipe.tag).remove({ noprune: true });
    }
  });
});

const asPython = (expression: string) => `$(/opt/tilth/python -c 'import os, sys, sysconfig; print(${expression})')`;
const compiledEnd = `${asPython("sys.implementation.cache_tag")}.pyc`;
const extension = asPython('sysconfig.get_config_var("EXT_SUFFIX")');
const library = asPython("os.path.dirname(os.__file__)");
const packages = ["check", "environment", "oneshot", "resident"];

/** Every way in which another file comes to run in place of a module whose source is untouched. */
const replacingPrograms = [
  "cd /opt/tilth",
  "echo 'print(1)' > /r.py && /opt/tilth/python -m compileall -q -b --invalidation-mode unchecked-hash /r.py",
  "mkdir /elsewhere && cp /r.pyc /elsewhere/__init__.pyc",
  "cp /r.pyc resident/__main__.pyc",
  `cp /r.pyc resident/__pycache__/loop.${compiledEnd}`,
  "mkdir resident/frames && cp /r.pyc resident/frames/__init__.pyc",
  `touch resident/calls${extension}`,
  "ln -s /elsewhere resident/pipes",
  `cp /r.pyc check/run/__pycache__/sending.${compiledEnd}`,
  `cp /r.pyc check/tree/__pycache__/__init__.${compiledEnd}`,
  "mkdir check/suite/sources && cp /r.pyc check/suite/sources/__init__.pyc",
  `touch check/judge/judge${extension} check/scan/__init__${extension}`,
  "ln -s /elsewhere check/requests",
  `for name in ${packages.join(" ")}; do cp -r /elsewhere ${library}/$name; done`,
].join(" && ");
const replaced = [
  "/opt/tilth/check/judge/judge.so",
  "/opt/tilth/check/requests",
  "/opt/tilth/check/run/__pycache__/sending.pyc",
  "/opt/tilth/check/scan/__init__.so",
  "/opt/tilth/check/suite/sources/__init__.pyc",
  "/opt/tilth/check/tree/__pycache__/__init__.pyc",
  "/opt/tilth/resident/__main__.pyc",
  "/opt/tilth/resident/__pycache__/loop.pyc",
  "/opt/tilth/resident/calls.so",
  "/opt/tilth/resident/frames/__init__.pyc",
  "/opt/tilth/resident/pipes",
  ...packages,
];
/** Imports them as the programs would; each one that is not ours says 1. */
const importing = `import sys
sys.path.append("/opt/tilth")
for name in ${JSON.stringify(packages)}:
    __import__(name)
    del sys.modules[name]
sys.path.insert(0, "/opt/tilth")
import resident.loop, resident.frames, resident.pipes
import check.run.sending, check.tree, check.suite.sources, check.requests`;
const imported = 4 + 3 + 4;

describe("a person's own image", () => {
  const [honest, altered, compiled, foreign] = ["honest", "altered", "compiled", "foreign"].map(trialTag) as [
    ...[string, string, string, string],
  ];
  beforeAll(async () => {
    await buildTrial(engine.docker, honest, {
      Dockerfile: `FROM ${image.id}\nUSER 0\nRUN touch /opt/theirs\nUSER 10001\n`,
    });
    const file = "/opt/tilth/venv/lib/python3*/site-packages/pytest/__init__.py";
    await buildTrial(engine.docker, altered, {
      Dockerfile: `FROM ${image.id}\nUSER 0\nRUN echo '#' | tee -a ${file} && chmod u+s /usr/bin/git\n`,
    });
    await buildTrial(engine.docker, compiled, {
      Dockerfile: `FROM ${image.id}\nUSER 0\nRUN ${replacingPrograms}\nUSER 10001\n`,
    });
    await buildTrial(engine.docker, foreign, { Dockerfile: "FROM scratch\nCOPY Dockerfile /\n" });
  });
  afterAll(async () => {
    for (const tag of [honest, altered, compiled, foreign]) await removeTrial(engine.docker, tag);
  });

  test("is used by its own id when it is built FROM ours", async () => {
    const own = await findImage(engine, withOwn(honest), signal);
    expect(own).toMatchObject({ recipe: image.recipe, tools: image.tools });
    expect(own?.id).not.toBe(image.id);
  });

  test("is refused in one sentence when it has another origin", async () => {
    await expect(findImage(engine, withOwn(foreign), signal)).rejects.toThrow(TilthError);
    await expect(findImage(engine, withOwn("tilth-trial:missing"), signal)).rejects.toThrow("not on the engine");
  });

  test("does not match when a tool or program was altered, and matches when it is honest", async () => {
    expect((await verifyImage(engine, withOwn(honest), signal)).same).toBe(true);
    const { same, comparisons } = await verifyImage(engine, withOwn(altered), signal);
    expect(same).toBe(false);
    expect(comparisons.find((comparison) => !comparison.same)?.seen).toContain("pytest/__init__.py");
    const another = await verifyImage(engine, withOwn(compiled), signal);
    const differing = another.comparisons.filter(({ same }) => !same).map(({ seen }) => seen);
    const named = differing.join().split(", ");
    expect(named.map((path) => path.replace(/\.cpython-[\w-]+(?=\.)| \(.*\)/, "")).sort()).toEqual(replaced);
    const python = ["/opt/tilth/python", "-I", "-S", "-c", importing];
    const ones = Array(imported).fill("1").join("\r\n");
    expect([await runIn(compiled, python), await runIn(honest, python)]).toEqual([ones, ""]);
    expect(await runIn(altered, ["/bin/sh", "-c", findSetuid])).toBe("/usr/bin/git");
  });
});

async function runIn(id: string, command: readonly string[]): Promise<string> {
  const container = await engine.docker.createContainer({
    Image: id,
    Entrypoint: [...command],
    Tty: true,
    User: "0:0",
    HostConfig: { NetworkMode: "none", AutoRemove: true },
  });
  const stream = await container.attach({ stream: true, stdout: true, stderr: true });
  await container.start();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString().trim();
}
