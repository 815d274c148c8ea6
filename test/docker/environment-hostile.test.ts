import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { Upstream } from "../egress/egress-stage.js";
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

/** A wheel of an announced or a real size, and pages that lead elsewhere. */
const hostile = async (inside: Upstream) => {
  const index = await TinyIndex.open([greet]);
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
    files: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`bomb/${at}.bin`, "\0".repeat(64 * 1024 ** 2)])),
  });
  index.add({ ...named("wordy"), deflated: true, more: `Keywords: ${"x".repeat(320 * 1024 ** 2)}\n` });
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
  ["bomb", /What the packages hold takes more than 192 MB on the disk/],
  ["wordy", /A package takes more memory to read than there is/],
];

test("a package that no bound or rule lets in is a failed check, and the run goes on with an honest one", async () => {
  await using inside = await Upstream.http((_, answer) => void answer.end("of the private network"));
  await using index = await hostile(inside);
  const [[first, said] = ["", /./], ...others] = refusals;
  const asking = (name: string) => [writeFile("requirements.txt", `${name}\n`), present()];
  const steps = [
    reply([writeFile("hall.py", hall), ...asking(first)]),
    ...[...others, ["greet", /./] as const].map(([name], at) => reply(asking(name), /./, refusals[at]?.[1] ?? said)),
  ];
  // the answer to the first reply is of three calls
  if (steps[1]) steps[1] = { ...steps[1], seen: [/./, /./, said] };
  const play = new Play({ "T-001": steps });
  await using world = await SessionWorld.open({
    ...{ files: { "requirements.txt": "" }, tasks: [task], script: { worker: play.worker } },
    env: {
      PIP_INDEX_URL: index.url,
      TILTH_SANDBOX_DISK: "192m",
      TILTH_SANDBOX_MEMORY: "512m",
      TILTH_MAX_ITERATIONS_PER_TASK: "20",
    },
  });
  const session = await world.stage();
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises, inside.connections]).toEqual(["all_done", [], 0]);
  const made = of(await wholeLog(session), "environment").map(({ packages }) => packages);
  expect([made, await world.environments()]).toEqual([[0, 1], [expect.stringMatching(/^tilth-env-/)]]);
  await oracle(world, session, end);
}, 300_000);

const plugin = (name: string, source: string): TinyPackage => ({
  ...{ name, version: "1.0" },
  files: { [`${name}_plugin.py`]: source },
  entryPoints: `[pytest11]\n${name} = ${name}_plugin\n`,
});
/** Each with what the check says of it. */
const plugins: readonly (readonly [TinyPackage, string])[] = [
  [plugin("ends", "import os\nos._exit(3)\n"), "check_died"],
  [
    plugin(
      "passes",
      "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    ),
    "no_canary",
  ],
  [
    plugin(
      "chosen",
      "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True if pyfuncitem.name == 'test_open' else None\n",
    ),
    "no_assertion_reached",
  ],
  [
    plugin(
      "replaces",
      "import _pytest.runner as runner\n\nwas = runner.pytest_runtest_call\n\n\ndef call(item):\n    try:\n        was(item)\n    except BaseException:\n        pass\n\n\nrunner.pytest_runtest_call = call\n",
    ),
    "no_canary",
  ],
];

test("what a wheel would have Python run by itself runs nowhere, no plugin makes wrong code pass, and the run goes on", async () => {
  await using index = await TinyIndex.open([pushing, ...plugins.map(([one]) => one)]);
  const look =
    "python -c 'import json, subprocess; print(json.__file__, subprocess.__file__)'; ls /tmp/ran; ls $VIRTUAL_ENV/bin";
  const looked =
    /\/usr\/(?:local\/)?lib\/python3\.\d+\/json\/__init__\.py \/usr\/(?:local\/)?lib\/python3\.\d+\/subprocess\.py\n.*No such file/s;
  const wrong = hall.replace("greeting(name)", "greeting(1)");
  const asking = (name: string) => [
    ...[writeFile("hall.py", wrong), writeFile("requirements.txt", `greet\n${name}\n`), present()],
  ];
  const play = new Play({
    "T-001": [
      reply([bash(look)]),
      ...plugins.map(([{ name }], at) => reply(asking(name), ...(at === 0 ? [looked] : []))),
      reply([writeFile("hall.py", hall), writeFile("requirements.txt", "greet\n"), present()]),
    ],
  });
  await using world = await SessionWorld.open({
    ...{ files: { "requirements.txt": "greet\n" }, tasks: [task], script: { worker: play.worker } },
    env: { PIP_INDEX_URL: index.url },
  });
  const session = await world.stage();
  expect(world.said).toContain("greet brings start-up code (greet.pth and sitecustomize.py), which is left out.");
  const end = await world.run(session);
  expect([end.stop.reason, play.surprises]).toEqual(["all_done", []]);
  const checks = of(await wholeLog(session), "check_run").map(
    ({ checks }) => checks.find(({ passed }) => !passed)?.reason,
  );
  expect(checks).toEqual([...plugins.map(([, reason]) => reason), undefined]);
  await oracle(world, session, end);
});

const hash = `sha256:${"a".repeat(64)}`;
const away = (at: string) => `http://${at}/greet-1.0-py3-none-any.whl`;
const locks: Readonly<Record<string, (at: string) => readonly [path: string, text: string, said: RegExp]>> = {
  "uv.lock with a file of the machine": () => [
    "uv.lock",
    `version = 1\n[[package]]\nname = "door"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "greet" }]\n` +
      `[[package]]\nname = "greet"\nversion = "1.0"\nsource = { path = "/etc/greet-1.0-py3-none-any.whl" }\n`,
    /^uv\.lock: greet comes from a path, which is not taken/,
  ],
  "uv.lock with an address": (at) => [
    "uv.lock",
    `version = 1\n[[package]]\nname = "door"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "greet" }]\n` +
      `[[package]]\nname = "greet"\nversion = "1.0"\nsource = { url = "${away(at)}" }\n`,
    /^uv\.lock: greet comes from a URL, which is not taken/,
  ],
  "uv.lock with an index of its own": (at) => [
    "uv.lock",
    `version = 1\n[[package]]\nname = "door"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "greet" }]\n` +
      `[[package]]\nname = "greet"\nversion = "1.0"\nsource = { registry = "http://${at}/simple" }\n` +
      `wheels = [{ url = "${away(at)}", hash = "${hash}" }]\n`,
    /[Hh]ash mismatch|hash/,
  ],
  "pylock.toml with an address": (at) => [
    "pylock.toml",
    `lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "greet"\nversion = "1.0"\n` +
      `[[packages.wheels]]\nname = "greet-1.0-py3-none-any.whl"\nurl = "${away(at)}"\nhashes = { sha256 = "${"a".repeat(64)}" }\n`,
    /[Hh]ash mismatch|hash/,
  ],
  "requirements.txt with a file and its hash": () => [
    "requirements.txt",
    `greet @ file:///etc/greet-1.0-py3-none-any.whl --hash=${hash}\n`,
    /^requirements\.txt line 1 \(greet\): no path is taken/,
  ],
  "requirements.txt with an address and its hash": (at) => [
    "requirements.txt",
    `greet @ ${away(at)} --hash=${hash}\n`,
    /^requirements\.txt line 1 \(greet\): URLs are not taken/,
  ],
};

test("no lock leads to a file of the machine or to a host that it names", async () => {
  await using elsewhere = await Upstream.http((_, answer) => void answer.end("mine"));
  await using index = await TinyIndex.open([greet]);
  const answers: Record<string, boolean | string> = {};
  for (const [name, lock] of Object.entries(locks)) {
    const [path, text, said] = lock(elsewhere.at);
    await using world = await SessionWorld.open({
      ...{ files: { [path]: text }, tasks: [task], script: {} },
      env: { PIP_INDEX_URL: index.url },
    });
    const problem = await world.stage().then(
      () => "it was staged",
      (error: Error) => error.message,
    );
    answers[name] = said.test(problem) || problem;
    expect(world.sessions()).toEqual([]);
  }
  expect(answers).toEqual(Object.fromEntries(Object.keys(locks).map((name) => [name, true])));
  expect(elsewhere.connections).toBe(0);
});
