import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compiledTilth } from "../helpers/compiled.js";
import { scratch } from "../helpers/scratch.js";
import { canaryKey } from "../helpers/scripted-model.js";
import { soon } from "../helpers/soon.js";
import { Tilth } from "../helpers/tilth.js";
import { Terminal } from "../helpers/tmux.js";

const noEngine = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

describe("settings", () => {
  test("init writes a template for its owner alone, which shows the defaults, and never overwrites", async () => {
    using tilth = new Tilth();
    const before = await tilth.run(["config", "--json"]);
    const first = await tilth.run(["init"]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const path = join(tilth.home, ".env");
    expect([statSync(tilth.home).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    const open = readFileSync(path, "utf8").match(/^TILTH_\w+(?==$)/gm);
    expect(open).toEqual(["TILTH_BASE_URL", "TILTH_API_KEY", "TILTH_WORKER_MODEL"]);
    expect((await tilth.run(["config", "--json"])).stdout).toBe(before.stdout);
    writeFileSync(path, `${readFileSync(path, "utf8").replace("TILTH_API_KEY=", `TILTH_API_KEY=${canaryKey}`)}`);
    const mine = readFileSync(path, "utf8");
    expect(await tilth.run(["init"])).toMatchObject({ code: 0, stdout: expect.stringContaining("left unchanged") });
    expect(readFileSync(path, "utf8")).toBe(mine);
    expect((await tilth.run(["config"])).stdout).toMatch(/^TILTH_API_KEY +•••• \(file\)$/m);
  });

  test("config shows where each value comes from, and no key", async () => {
    using tilth = new Tilth({ TILTH_API_KEY: canaryKey, TILTH_PREP_API_KEY: "none", TILTH_MAX_TOKENS: "7" });
    const [text, json] = [await tilth.run(["config"]), await tilth.run(["config", "--json"])];
    expect(text.stdout + text.stderr + json.stdout + json.stderr).not.toContain(canaryKey);
    expect(text.stdout).toMatch(/^TILTH_MAX_TOKENS +7 \(environment\)$/m);
    expect(text.stdout).toMatch(/^prices\.json +–$/m);
    expect(text.stdout).toMatch(/^TILTH_MAX_TOKENS counts .* cached tokens at a tenth\.$/m);
    const { settings } = JSON.parse(json.stdout) as { settings: { name: string; value: string; origin: string }[] };
    const named = (name: string) => settings.find((one) => one.name === name);
    expect(named("TILTH_API_KEY")).toMatchObject({ value: "••••", origin: "environment" });
    expect(named("TILTH_PREP_API_KEY")).toMatchObject({ value: "none" });
    expect(named("TILTH_WORKER_MODEL")).toMatchObject({ value: null, origin: "unset" });
    expect(existsSync(tilth.home)).toBe(false);
  });

  test("config says how many models have prices, and what is wrong with the prices", async () => {
    using tilth = new Tilth();
    await tilth.run(["init"]);
    const path = join(tilth.home, "prices.json");
    writeFileSync(path, JSON.stringify({ v: 1, models: { a: { input: 1, output: 2 }, b: { input: 1, output: 2 } } }));
    expect((await tilth.run(["config"])).stdout).toMatch(/^prices\.json +2 models$/m);
    writeFileSync(path, JSON.stringify({ v: 1, models: { a: { input: 1 } } }));
    const { code, stderr } = await tilth.run(["config"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^tilth: [^\n]+prices\.json is not as it must be: models\.a\.output: [^\n]+\n {2}→ [^\n]+\n$/,
      ),
    ]);
  });

  test.each([
    [["config"], { TILTH_MAX_TOKENS: "lots" }, "TILTH_MAX_TOKENS must be a whole number of at least 1"],
    [["run"], {}, "TILTH_BASE_URL, TILTH_API_KEY, TILTH_WORKER_MODEL are not set"],
    [["doctor"], { TILTH_BASE_URL: "https://ada:s3cret@h/v1" }, "TILTH_BASE_URL must not hold a user or a password"],
    [["seed", "/nowhere", "--from", "/nowhere/seed"], {}, "there is no folder '/nowhere/seed'"],
    [["sessions", "show", "../x"], {}, '"../x" is not a session id'],
    [["reset", "", "-y"], {}, '"" is not a session id'],
    [["reset", "..", "-y"], {}, '".." is not a session id'],
    [["reset", "-y"], {}, "there are no sessions yet"],
    [["image"], {}, "tilth image needs one of build, ls, prune, verify"],
  ])("%j with %j gives one sentence, one remedy and exit 2, and makes no home", async (args, env, says) => {
    using tilth = new Tilth({ ...noEngine, ...env });
    const { code, stdout, stderr } = await tilth.run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^tilth: [^\n]+\n {2}→ [^\n]+\n$/);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain("s3cret");
    expect(existsSync(tilth.home)).toBe(false);
  });
});

describe("a place that takes no data", () => {
  test.each([[["config"]], [["config", "--json"]], [["--help"]]])(
    "makes %j say that its result was not written",
    (args) => {
      using tilth = new Tilth(noEngine);
      const full = openSync("/dev/full", "w");
      try {
        const { status, stderr } = spawnSync(process.execPath, [compiledTilth(), ...args], {
          env: tilth.env,
          stdio: ["ignore", full, "pipe"],
          encoding: "utf8",
        });
        expect([status, stderr]).toEqual([
          5,
          expect.stringMatching(/^tilth: [^\n]+no space is left[^\n]+\n {2}→ [^\n]+\n$/),
        ]);
      } finally {
        closeSync(full);
      }
    },
  );

  test("gives one sentence when it is the home, even where Node would try for ever", async () => {
    using tilth = new Tilth(noEngine);
    const { code, stderr } = await tilth.run(["init"], { TILTH_HOME: "/proc/nowhere/home" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot make the folder /proc/nowhere/home")]);
  });
});

describe("a process", () => {
  const held: Server = createServer(() => undefined);
  let env: Record<string, string>;
  beforeAll(async () => {
    await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
    const { port } = held.address() as AddressInfo;
    const TILTH_BASE_URL = `http://127.0.0.1:${port}/v1`;
    env = { ...noEngine, TILTH_BASE_URL, TILTH_API_KEY: canaryKey, TILTH_WORKER_MODEL: "m" };
  });
  afterAll(() => {
    held.closeAllConnections();
    held.close();
  });
  const asked = () => new Promise<void>((resolve) => held.once("request", () => resolve()));

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends with 130 when it gets %s", async (signal) => {
    using tilth = new Tilth(env);
    const waiting = asked();
    const running = tilth.start(["doctor"]);
    await waiting;
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code: 130, stdout: "", stderr: "tilth: interrupted\n" });
  });

  test("ends with 130 and does not crash when its terminal is closed", async () => {
    using tilth = new Tilth(env);
    const waiting = asked();
    const noting = 'trap : HUP; "$@" 2> /dev/null; echo $? > "$0"';
    const code = join(tilth.root, "code");
    using terminal = new Terminal(["sh", "-c", noting, code, process.execPath, compiledTilth(), "doctor"], tilth.env);
    await waiting;
    terminal.close();
    await soon(() => existsSync(code) && readFileSync(code, "utf8")).toBe("130\n");
  });

  test("leaves no demo folder when it finds no engine", async () => {
    using tilth = new Tilth(noEngine);
    const before = readdirSync(tilth.root);
    const { code, stderr } = await tilth.run(["demo"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^tilth: no container engine[^\n]+\n {2}→ [^\n]+\n$/)]);
    expect(readdirSync(tilth.root)).toEqual(before);
  });

  test("says so when its current folder is gone and it needs one", () => {
    using tilth = new Tilth(env);
    const gone = `mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" run .`;
    const args = ["-c", gone, process.execPath, compiledTilth()];
    const { status, stderr } = spawnSync("sh", args, { cwd: tilth.root, env: tilth.env, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^tilth: the current folder is gone\n {2}→ cd [^\n]+\n$/),
    ]);
  });

  test("ends with 70 and the stack when it meets a bug of its own, not as a failed task", async () => {
    const trap = 'process.on("SIGUSR2", () => { throw new Error("a bug") })';
    using tilth = new Tilth({ ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(trap)}` });
    const waiting = asked();
    const running = tilth.start(["doctor"]);
    await waiting;
    running.process.kill("SIGUSR2");
    const { code, stderr } = await running.ended;
    expect(code).toBe(70);
    expect(stderr).toMatch(/^tilth: this is a bug in tilth[^\n]+\nError: a bug\n {4}at /);
  });

  test("ends normally when its reader has gone", async () => {
    using tilth = new Tilth();
    const running = tilth.start(["config", "--json"]);
    running.process.stdout?.destroy();
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("running doctor names every problem with its remedy on stdout, as lines or JSON, and exits 1", async () => {
    using tilth = new Tilth(noEngine);
    const { code, stdout, stderr } = await tilth.run(["doctor"]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^ok {2}git: git version/m);
    expect(stdout).toMatch(/^problem {2}engine: no container engine answers at \/nowhere\/docker.sock[^\n]*\n {2}→ /m);
    expect(stdout).toMatch(/^problem {2}endpoint: TILTH_BASE_URL, [^\n]+ are not set\n {2}→ set them/m);
    const json = JSON.parse((await tilth.run(["doctor", "--json"])).stdout);
    expect(json).toMatchObject({
      ok: false,
      findings: [{ name: "git", ok: true }, { name: "home", ok: true }, { ok: false }, { ok: false }],
    });
  });
});

describe("a stalled reader", () => {
  const output = pathToFileURL(join(dirname(compiledTilth()), "output", "output.js")).href;
  const ours = `
    const { Output } = await import(${JSON.stringify(output)});
    const output = new Output();
    for (let at = 0; at < 1500; at += 1) output.say("x".repeat(1000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await output.drain(AbortSignal.abort());
    process.exit(7);`;
  const naive = `
    const { write } = await import("node:fs");
    write(2, Buffer.alloc(1 << 20), () => undefined);
    setTimeout(() => process.exit(7), 200);`;

  function exitOf(script: string, stderr: number | "pipe", timeout = 40_000): Promise<number | null> {
    const stdio = ["ignore", "ignore", stderr] as const;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: [...stdio], timeout });
    return new Promise((resolve) => child.once("exit", resolve));
  }

  test("holds up neither the work nor its end, be it a pipe or a socket", async () => {
    const fifo = join(scratch(), "fifo");
    spawnSync("mkfifo", [fifo]);
    const reader = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    const writer = openSync(fifo, constants.O_WRONLY);
    try {
      expect(await Promise.all([exitOf(ours, writer), exitOf(ours, "pipe")])).toEqual([7, 7]);
      expect(await exitOf(naive, writer, 2_500)).toBeNull();
    } finally {
      closeSync(reader);
      closeSync(writer);
    }
  });
});
