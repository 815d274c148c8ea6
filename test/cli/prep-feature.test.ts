import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitId, hostPath } from "../../runner/base/ids.js";
import { SessionStore } from "../../runner/index.js";
import type { SessionStatus } from "../../runner/session/state/checkpoint.js";
import { compiledTilth } from "../helpers/compiled.js";
import { Tilth } from "../helpers/tilth.js";
import { Terminal } from "../helpers/tmux.js";
import { oid } from "../session/event-fixtures.js";

const nobody = { TILTH_BASE_URL: "http://127.0.0.1:9", TILTH_API_KEY: "none", TILTH_WORKER_MODEL: "m" };

/** A home with sessions of one source, and no engine or model anywhere near. */
class Stage implements Disposable {
  readonly tilth = new Tilth({ ...nobody, DOCKER_HOST: "unix:///nowhere.sock" });
  readonly source = hostPath(join(this.tilth.root, "shop"));

  constructor() {
    mkdirSync(join(this.source, ".git"), { recursive: true });
  }

  session(status: SessionStatus): string {
    const files = new SessionStore(hostPath(this.tilth.home)).create({
      source: this.source,
      baseCommit: commitId(oid("a")),
    });
    const task = {
      id: "T-001",
      title: "Prices",
      description: "d",
      acceptance_criteria: ["a"],
      status: "pending" as const,
    };
    files.savePrd([task]);
    files.updateCheckpoint({ status });
    return files.id;
  }

  terminal(...args: readonly string[]): Terminal {
    return new Terminal([process.execPath, compiledTilth(), ...args], this.tilth.env);
  }

  async refused(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tilth.run(["prep-feature", this.source, ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    return stderr;
  }

  [Symbol.dispose](): void {
    this.tilth[Symbol.dispose]();
  }
}

test("without a terminal, the command to type is named and nothing is asked", async () => {
  using stage = new Stage();
  expect(await stage.refused()).toMatch(/terminal[\s\S]*→ tilth prep-feature '.*shop' --brief <text> --answers <file>/);
  expect(await stage.refused("--brief", "it's time")).toContain("--brief 'it'\\''s time' --answers <file>");
  const answers = join(stage.tilth.root, "answers");
  writeFileSync(answers, "yes\n");
  expect(await stage.refused("--answers", answers)).toContain("--answers needs --brief");
  expect(await stage.refused("--answers", answers, "--brief", " \n ")).toContain("--answers needs --brief");
  expect(stage.tilth.sessions()).toEqual([]);
});

test("flags that contradict each other, a key in the brief or in an answer, and a foreign session are refused", async () => {
  using stage = new Stage();
  const answers = join(stage.tilth.root, "answers");
  writeFileSync(answers, "one\nsk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\n");
  expect(await stage.refused("--force", "--keep-existing")).toContain("contradict");
  expect(await stage.refused("--append", "20260102-101112-a1b2c3", "--force")).toContain("--append");
  const inBrief = await stage.refused("--brief", "use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD");
  expect(inBrief).toContain("the brief contains what looks like a key");
  const inFile = await stage.refused("--brief", "x", "--answers", answers);
  expect(inFile).toMatch(/line 2 of .*answers' looks like a key/);
  for (const said of [inBrief, inFile]) expect(said).not.toContain("sk-proj");
  writeFileSync(answers, "one\n");
  const rest = ["--brief", "x", "--answers", answers];
  expect(await stage.refused(...rest, "--append", "20260102-101112-a1b2c3")).toContain("20260102-101112-a1b2c3");
  const elsewhere = new SessionStore(hostPath(stage.tilth.home)).create({
    source: hostPath(stage.tilth.root),
    baseCommit: commitId(oid("a")),
  });
  expect(await stage.refused(...rest, "--append", elsewhere.id)).toContain(
    `session ${elsewhere.id} does not belong to`,
  );
});

test("at a terminal, a session in flight is asked about; a wrong key asks again, cancelling does nothing", async () => {
  using stage = new Stage();
  const id = stage.session("prepared");
  for (const verb of [["prep-feature"], ["seed", "--from", "/nowhere"]]) {
    const [name = "", ...more] = verb;
    using terminal = stage.terminal(name, stage.source, ...more);
    const screen = await terminal.shows("● 1  run");
    expect(screen).toContain(`│  ${id} · prepared · Prices`);
    terminal.type("9");
    terminal.press("Enter");
    await terminal.shows("type a number from 1 to 4");
    terminal.type("4");
    terminal.press("Enter");
    expect(await terminal.shows("[left with 0]")).toContain("nothing was done");
  }
  using ended = stage.terminal("prep-feature", stage.source);
  await ended.shows("● 1  run");
  ended.press("C-d");
  expect(await ended.shows("[left with 0]")).toContain("nothing was done");
  using interrupted = stage.terminal("prep-feature", stage.source);
  await interrupted.shows("● 1  run");
  interrupted.press("C-c");
  expect(await interrupted.shows("[left with 130]")).toContain("tilth: interrupted");
  expect(stage.tilth.sessions()).toEqual([id]);
});

test("a stopped session is resumed when it is picked", async () => {
  using stage = new Stage();
  const id = stage.session("failed");
  using terminal = stage.terminal("run", stage.source);
  await terminal.shows(`● 1  resume ${id}`);
  terminal.press("Enter");
  // the source of this session is no repository
  expect(await terminal.shows("[left with 2]")).toContain(`session ${id}: `);
  expect((await stage.tilth.run(["run", stage.source])).code).toBe(2);
});

test("an obstacle to an interview is reported before anybody types a brief", async () => {
  using stage = new Stage();
  const missing = join(stage.tilth.root, "nowhere");
  for (const source of [missing, stage.source, stage.tilth.root]) {
    using terminal = stage.terminal("prep-feature", source);
    await terminal.shows("[left with 2]");
    expect(terminal.everything()).not.toContain("What is to be built");
  }
});
