import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { SessionStore } from "../../runner/session/store.js";
import { flaws, spansIn } from "../export/forest.js";
import { wholeSession } from "../export/whole-session.js";
import { compiledTilth } from "../helpers/compiled.js";
import { until } from "../helpers/stopped.js";
import { Tilth } from "../helpers/tilth.js";
import { asLines, logOf, modelCall, oid } from "../session/event-fixtures.js";

const noEngine = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

function withSession(tilth: Tilth, log: string): string {
  mkdirSync(tilth.home, { recursive: true, mode: 0o700 });
  const files = new SessionStore(hostPath(tilth.home)).create({
    source: hostPath("/src"),
    baseCommit: commitId(oid("0")),
  });
  writeFileSync(files.paths.events, log);
  return files.id;
}

const longLog = asLines(
  logOf(
    ...Array.from({ length: 5_000 }, (_, iter): ["model_call", ReturnType<typeof modelCall>] => [
      "model_call",
      modelCall("T-001", iter + 1),
    ]),
  ),
);

describe("export", () => {
  test("needs neither an endpoint nor an engine, and takes the latest session by default", async () => {
    using tilth = new Tilth(noEngine);
    const id = withSession(tilth, asLines(wholeSession));
    const named = await tilth.run(["export", id, "--otlp-json"]);
    expect(named).toMatchObject({ code: 0, stderr: "" });
    expect(flaws(spansIn(named.stdout))).toEqual([]);
    const latest = await tilth.run(["export", "--otlp-json"]);
    expect([latest.code, latest.stdout]).toEqual([0, named.stdout]);
    expect(latest.stderr).toContain(`the latest session is ${id}`);
  });

  test.each([
    [["export", "20250101-000000-abcdef"], "a format", "tilth export 20250101-000000-abcdef --otlp-json"],
    [["export"], "a format", "tilth export <id> --otlp-json"],
    [["export", "20250101-000000-abcdef", "--otlp-json"], "there is no session", "tilth sessions"],
  ])("typed as %j says what is missing, names the one command, and exits 2", async (args, says, remedy) => {
    using tilth = new Tilth(noEngine);
    const { code, stdout, stderr } = await tilth.run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^tilth: [^\n]+\n {2}→ [^\n]+\n$/);
    expect(stderr).toContain(says);
    expect(stderr).toContain(remedy);
  });

  test("writes nothing for a session without events, and exits 2", async () => {
    using tilth = new Tilth(noEngine);
    const id = withSession(tilth, "");
    expect(await tilth.run(["export", id, "--otlp-json"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("has no events yet"),
    });
  });

  test.each(["a pipe", "a socket"])("ends quietly when the reader of %s has enough", async (kind) => {
    using tilth = new Tilth(noEngine);
    const id = withSession(tilth, longLog);
    if (kind === "a pipe") {
      const script = `"$0" "$1" export ${id} --otlp-json | head -c 100; echo; echo "\${PIPESTATUS[0]}"`;
      const args = ["-c", script, process.execPath, compiledTilth()];
      const { stdout, stderr } = spawnSync("bash", args, { env: tilth.env, encoding: "utf8" });
      expect([stdout.split("\n")[1], stderr]).toEqual(["0", ""]);
      return;
    }
    const running = tilth.start(["export", id, "--otlp-json"]);
    running.process.stdout?.once("data", () => running.process.stdout?.destroy());
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("stops at once when it is interrupted while nobody reads", async () => {
    using tilth = new Tilth(noEngine);
    const id = withSession(tilth, longLog);
    const running = tilth.start(["export", id, "--otlp-json"]);
    const stdout = running.process.stdout?.pause();
    await until(() => (stdout?.readableLength ?? 0) > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(running.process.exitCode).toBeNull();
    const exited = once(running.process, "exit");
    running.process.kill("SIGINT");
    expect(await exited).toEqual([130, null]);
    running.process.stdout?.destroy();
    expect((await running.ended).stderr).toBe("tilth: interrupted\n");
  });

  test("says so when there is no room for its output", () => {
    using tilth = new Tilth(noEngine);
    const id = withSession(tilth, asLines(wholeSession));
    const full = openSync("/dev/full", "w");
    try {
      const { status, stderr } = spawnSync(process.execPath, [compiledTilth(), "export", id, "--otlp-json"], {
        env: tilth.env,
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([5, expect.stringContaining("no space is left on the disk")]);
    } finally {
      closeSync(full);
    }
  });
});
