import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { Upstream } from "../egress/egress-stage.js";
import { someOf } from "../helpers/every.js";
import { of, oracle, wholeLog } from "../helpers/session-oracle.js";
import { bash, Play, present, reply, writeFile } from "../helpers/session-play.js";
import { type SeedTask, SessionWorld } from "../helpers/session-world.js";
import { TinyIndex } from "../helpers/tiny-index.js";
import { type TinyPackage, wheelName } from "../helpers/tiny-wheel.js";

const greet: TinyPackage = {
  ...{ name: "greet", version: "1.0" },
  files: { "greet.py": 'def greeting(name):\n    return f"hello {name}"\n' },
};

const task: SeedTask = {
  id: "T-001",
  title: "Greet",
  description: "hall.open_for greets; requirements.txt may be changed for it.",
  acceptance_criteria: ["open_for(name) gives the greeting"],
  test: {
    name: "test_t001_greet.py",
    source: `import json
import os

from hall import open_for


def test_open():
    assert open_for("Ada") == "hello Ada"
    assert json.loads("[1]") == [1]
    assert not os.path.exists("/tmp/ran")
`,
  },
};
const hall = "from greet import greeting\n\n\ndef open_for(name):\n    return greeting(name)\n";

const code = "import os; open('/tmp/ran', 'a').write('ran')\n";
const pushing: TinyPackage = {
  ...{ name: "greet", version: "1.0" },
  files: {
    ...greet.files,
    "greet.pth": code,
    "sitecustomize.py": code,
    "json.py": `${code}raise SystemExit("mine")\n`,
    "subprocess/__init__.py": `${code}raise SystemExit("mine")\n`,
    "conftest.py": code,
  },
  entryPoints: "[console_scripts]\ngreet = greet:greeting\n",
};

/** Wheels of an announced or a real size, and pages that lead elsewhere. */
const hostile = async (inside: Upstream) => {
  const index = await TinyIndex.open([pushing, ending]);
  const named = (name: string): TinyPackage => ({ name, version: "1.0" });
  const file = (name: string) => `/files/${wheelName(named(name))}`;
  const odd = (name: string, page: RequestListener, wheel?: RequestListener) => {
    index.odd.set(`/simple/${name}/`, page);
    if (wheel) index.odd.set(file(name), wheel);
  };
  const linking =
    (href: string): RequestListener =>
    (_, answer) =>
      void answer.writeHead(200, { "content-type": "text/html" }).end(`<a href="${href}">x</a>`);
  const leading =
    (location: string): RequestListener =>
    (_, answer) =>
      void answer.writeHead(302, { location }).end();
  odd("huge", linking(file("huge")), (_, answer) => {
    answer.writeHead(200, { "content-length": String(5 * 1024 ** 3) });
    answer.write("PK");
  });
  odd("metadata", leading("http://169.254.169.254/simple/"));
  odd("office", linking(`http://10.0.0.1/${wheelName(named("office"))}`));
  odd("loopback", leading(`http://[::1]:${inside.port}/simple/`));
  odd("mapped", linking(`http://[::ffff:127.0.0.1]:${inside.port}/${wheelName(named("mapped"))}`));
  odd("local", linking(`http://localhost:${inside.port}/${wheelName(named("local"))}`));
  index.add({
    ...named("bomb"),
    deflated: true,
    files: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`bomb/${at}.bin`, "\0".repeat(8 * 1024 ** 2)])),
  });
  index.add({ ...named("wordy"), deflated: true, more: `Keywords: ${"x".repeat(160 * 1024 ** 2)}\n` });
  return index;
};

const refusals: readonly (readonly [string, RegExp])[] = [
  ["huge", /huge-1\.0-py3-none-any\.whl of 127\.0\.0\.1:\d+ is not taken: it is 5 GB, and 2 GB is the most/],
  ["metadata", /169\.254\.169\.254 is an address of a private network, and no configured index/],
  ["office", /10\.0\.0\.1 is an address of a private network/],
  ["loopback", /\[::1\]:\d+ is an address of a private network/],
  [
    "mapped",
    /127\.0\.0\.1\]?:\d+ is an address of a private network|\[::ffff:7f00:1\]:\d+ is an address of a private network/,
  ],
  ["local", /localhost:\d+ leads to (?:127\.0\.0\.1|::1), an address of a private network/],
  ["bomb", /What the packages hold takes more than 64 MB on the disk/],
  ["wordy", /A package takes more memory to read than there is/],
];

/** Pages that lead elsewhere count as one kind, and so do links that do. */
const tried = someOf(refusals, 6, ([name]) => {
  if (["metadata", "loopback"].includes(name)) return "a page that leads elsewhere";
  return ["office", "mapped", "local"].includes(name) ? "a link to elsewhere" : name;
});

const ending: TinyPackage = {
  ...{ name: "ends", version: "1.0" },
  files: { "ends_plugin.py": "import os\nos._exit(3)\n" },
  entryPoints: "[pytest11]\nends = ends_plugin\n",
};

test("start-up code of a wheel runs nowhere, a package out of bounds fails the check, and the run goes on", async () => {
  await using inside = await Upstream.http((_, answer) => void answer.end("of the private network"));
  await using index = await hostile(inside);
  const look =
    "python -c 'import json, subprocess; print(json.__file__, subprocess.__file__)'; ls /tmp/ran; ls $VIRTUAL_ENV/bin";
  const looked =
    /\/usr\/(?:local\/)?lib\/python3\.\d+\/json\/__init__\.py \/usr\/(?:local\/)?lib\/python3\.\d+\/subprocess\.py\n.*No such file/s;
  const asking = (...names: string[]) => writeFile("requirements.txt", names.map((name) => `${name}\n`).join(""));
  const wrong = hall.replace("greeting(name)", "greeting(1)");
  const play = new Play({
    "T-001": [
      reply([writeFile("hall.py", wrong), bash(look)]),
      ...tried.map(([name], at) => reply([asking(name), present()], /./, tried[at - 1]?.[1] ?? looked)),
      reply([asking("greet", "ends"), present()], /./, tried.at(-1)?.[1] ?? /./),
      reply([writeFile("hall.py", hall), asking("greet"), present()]),
    ],
  });
  await using world = await SessionWorld.open({
    ...{ files: { "requirements.txt": "greet\n" }, tasks: [task], script: { worker: play.worker } },
    env: {
      PIP_INDEX_URL: index.url,
      TILTH_SANDBOX_DISK: "64m",
      TILTH_SANDBOX_MEMORY: "256m",
      TILTH_MAX_ITERATIONS_PER_TASK: "20",
    },
  });
  const session = await world.stage();
  expect(world.said).toContain("greet brings start-up code (greet.pth and sitecustomize.py), which is left out.");
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises, inside.connections]).toEqual(["all_done", [], 0]);
  const failed = of(await wholeLog(session), "check_run").map(
    ({ checks }) => checks.find(({ passed }) => !passed)?.reason,
  );
  expect(failed).toEqual([...tried.map(() => "no_environment"), "check_died", undefined]);
  expect(await world.environments()).toHaveLength(2);
  await oracle(world, session, end);
}, 300_000);

const wheels = (at: string) => `url = "http://${at}/greet-1.0-py3-none-any.whl"`;
const hash = "a".repeat(64);
const locks: Readonly<Record<string, (at: string) => string>> = {
  "uv.lock": (at) =>
    `version = 1\n[[package]]\nname = "door"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "greet" }]\n` +
    `[[package]]\nname = "greet"\nversion = "1.0"\nsource = { registry = "http://${at}/simple" }\n` +
    `wheels = [{ ${wheels(at)}, hash = "sha256:${hash}" }]\n`,
  "pylock.toml": (at) =>
    `lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "greet"\nversion = "1.0"\n` +
    `[[packages.wheels]]\nname = "greet-1.0-py3-none-any.whl"\n${wheels(at)}\nhashes = { sha256 = "${hash}" }\n`,
};

test("a lock cannot lead to a host that it names", async () => {
  await using elsewhere = await Upstream.http((_, answer) => void answer.end("mine"));
  await using index = await TinyIndex.open([greet]);
  await using world = await SessionWorld.open({
    ...{ files: { "README.md": "Nothing." }, tasks: [task], script: {} },
    env: { PIP_INDEX_URL: index.url },
  });
  for (const [path, lock] of Object.entries(locks)) {
    world.repo.git("rm", "-q", "--ignore-unmatch", ...Object.keys(locks));
    world.repo.files({ [path]: lock(elsewhere.at) }).commit(path);
    await expect(world.stage(), path).rejects.toThrow(/hash/i);
  }
  expect([world.sessions(), elsewhere.connections]).toEqual([[], 0]);
});
