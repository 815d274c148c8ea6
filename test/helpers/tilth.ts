import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModels } from "../../runner/demo/script/script.js";
import type { ScriptedModel } from "../../runner/demo/scripted-model.js";
import { compiledTilth } from "./compiled.js";
import { canaryKey } from "./scripted-model.js";

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export type Env = Readonly<Record<string, string>>;

/** The command line as a person calls it: compiled, with a home and an environment of its own. */
export class Tilth implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "tilth-cli-")));
  readonly home: string;
  readonly env: Env;
  readonly #main: string;

  constructor(env: Env = {}, main = compiledTilth(), home = "tilth") {
    this.#main = main;
    this.home = join(this.root, home);
    mkdirSync(join(this.root, "user"));
    const { PATH = "", DOCKER_HOST } = process.env;
    const engine = DOCKER_HOST === undefined ? {} : { DOCKER_HOST };
    this.env = { PATH, HOME: join(this.root, "user"), TILTH_HOME: this.home, TMPDIR: this.root, ...engine, ...env };
  }

  /** The settings that lead to a scripted model. */
  static endpoint(model: Pick<ScriptedModel, "baseUrl">): Env {
    return {
      TILTH_BASE_URL: model.baseUrl,
      TILTH_API_KEY: canaryKey,
      TILTH_WORKER_MODEL: scriptedModels.worker,
      TILTH_EVALUATOR_MODEL: scriptedModels.evaluator,
    };
  }

  run(args: readonly string[], env: Env = {}): Promise<CommandEnd> {
    return this.start(args, env).ended;
  }

  /** `alone`: in a process group of its own, as a shell starts programs that Ctrl-C interrupts. */
  start(args: readonly string[], env: Env = {}, alone = false): Running {
    return new Running(
      spawn(process.execPath, [this.#main, ...args], {
        cwd: this.root,
        env: { ...this.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: alone,
      }),
    );
  }

  sessions(): string[] {
    const folder = join(this.home, "sessions");
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export class Running {
  readonly ended: Promise<CommandEnd>;
  stdout = "";
  stderr = "";

  constructor(readonly process: ChildProcess) {
    const started = performance.now();
    process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve, reject) => {
      process.once("error", reject).once("close", (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr, ms: performance.now() - started });
      });
    });
  }

  /** Waits until its progress has shown that. */
  async said(what: RegExp): Promise<void> {
    while (!what.test(this.stderr)) {
      if (this.process.exitCode !== null) throw new Error(`it ended without saying ${what}: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
