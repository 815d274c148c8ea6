import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { OpenRecheckHands } from "../../runner/app/verify/again/recheck-hands.js";
import { type Verification, verifySession } from "../../runner/index.js";
import type { SessionFiles } from "../../runner/session/session-files.js";
import type { Settings } from "../../runner/settings/settings.js";
import type { CheckFunction } from "./fake-checks.js";
import { FakeHands } from "./fake-hands.js";
import { GitRepo, never } from "./git-repo.js";
import { LoopSession } from "./loop-session.js";
import { loopSettings } from "./loop-settings.js";
import { accept, reject, solve } from "./loop-turns.js";

/** A finished session of two tasks in a real source, which a test may alter and put back. */
export class VerifyStage implements Disposable {
  readonly settings: Settings;
  readonly said: string[] = [];
  readonly #before: ReadonlyMap<string, Buffer>;
  readonly #tip: string;
  /** the number of trials that are not disposed of */
  open = 0;

  private constructor(
    readonly repo: GitRepo,
    readonly files: SessionFiles,
  ) {
    this.settings = { ...loopSettings(repo.tilthHome, {}), host: repo.places() };
    this.#before = this.content();
    this.#tip = repo.git("rev-parse", this.ref).trim();
  }

  static async open(): Promise<VerifyStage> {
    const repo = GitRepo.withCommit({
      "README.md": "# x\n",
      "tests/test_old.py": "def test_old():\n    assert True\n",
    });
    const session = await LoopSession.inSource(repo, { tasks: 2 });
    const run = await session.run({ worker: [solve(1), solve(1), solve(2)], evaluator: [reject(), accept, accept] });
    if (run.reason !== "all_done") throw new Error(`the session stopped: ${run.reason}`);
    return new VerifyStage(repo, session.files);
  }

  get ref(): string {
    return `refs/heads/session/${this.files.id}`;
  }

  verify(
    options: { check?: CheckFunction; openHands?: OpenRecheckHands; signal?: AbortSignal } = {},
  ): Promise<Verification> {
    const openHands = options.openHands ?? this.trial(options.check);
    const { settings, files } = this;
    return verifySession({
      settings,
      files,
      openHands,
      signal: options.signal ?? never,
      say: (line) => this.said.push(line),
    });
  }

  trial(check?: CheckFunction): OpenRecheckHands {
    return async () => {
      this.open += 1;
      const folder = mkdtempSync(join(this.repo.root, "trial-"));
      const hands = await FakeHands.open({ folder, ...(check ? { check } : {}) });
      return {
        hands,
        otherImage: null,
        useEnvironment: async () => undefined,
        [Symbol.asyncDispose]: async () => {
          this.open -= 1;
          rmSync(folder, { recursive: true });
        },
      };
    };
  }

  /** Every file of the session except its worktree. */
  content(): Map<string, Buffer> {
    const { folder } = this.files.paths;
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((name) => !name.startsWith("workspace/"));
    return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]));
  }

  text(name: string): string {
    return readFileSync(join(this.files.paths.folder, name), "utf8");
  }

  write(name: string, content: string | Uint8Array): void {
    const path = join(this.files.paths.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  remove(name: string): void {
    rmSync(join(this.files.paths.folder, name));
  }

  /** Replaces `from` in one place of `name`; `which` counts the places from zero. */
  alter(name: string, from: string, to: string, which = 0): void {
    const parts = this.text(name).split(from);
    if (parts.length < which + 2) throw new Error(`${name} has no ${from}`);
    this.write(name, parts.slice(0, which + 1).join(from) + to + parts.slice(which + 1).join(from));
  }

  /** Number of the log line that holds the `which`-th event of a type. */
  lineOf(type: string, which = 0): number {
    const lines = this.text("events.jsonl").split("\n");
    const found = lines.flatMap((line, index) => (line.includes(`"type":"${type}"`) ? [index + 1] : []));
    return found.at(which) ?? 0;
  }

  logLine(type: string, which: number): string {
    return this.text("events.jsonl").split("\n")[this.lineOf(type, which) - 1] ?? "";
  }

  /** The commit that the branch points to. */
  tip(): string {
    return this.repo.git("rev-parse", this.ref).trim();
  }

  /** Gives the function that puts the object back. */
  alterObject(id: string, change: (content: Buffer) => Buffer): () => void {
    const path = join(this.repo.path, ".git/objects", id.slice(0, 2), id.slice(2));
    if (!existsSync(path)) this.#unpack();
    const content = readFileSync(path);
    chmodSync(path, 0o644);
    writeFileSync(path, change(content));
    return () => writeFileSync(path, content);
  }

  #unpack(): void {
    const folder = join(this.repo.path, ".git/objects/pack");
    for (const name of readdirSync(folder).filter((one) => one.endsWith(".pack"))) {
      const pack = readFileSync(join(folder, name));
      for (const part of [".pack", ".idx", ".rev"]) rmSync(join(folder, name.replace(".pack", part)), { force: true });
      this.repo.pipe(pack, "unpack-objects", "-q");
    }
  }

  moveSource(away: boolean): void {
    const aside = `${this.repo.path}-aside`;
    renameSync(away ? this.repo.path : aside, away ? aside : this.repo.path);
  }

  restore(): void {
    const { folder } = this.files.paths;
    for (const name of this.content().keys()) if (!this.#before.has(name)) rmSync(join(folder, name));
    for (const [name, content] of this.#before) this.write(name, content);
    this.repo.git("update-ref", this.ref, this.#tip);
  }

  [Symbol.dispose](): void {
    this.repo[Symbol.dispose]();
  }
}
