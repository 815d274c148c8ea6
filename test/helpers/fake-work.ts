import { type ChildProcess, spawn } from "node:child_process";
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { Interrupted } from "../../runner/base/errors.js";
import type { CommitId } from "../../runner/base/ids.js";
import type { Answer } from "../../runner/hands/ports/reading.js";
import type { CommandResult, EditResult, LintRequest, Receipt, Work } from "../../runner/hands/ports/work.js";
import { skippedFolders } from "../../runner/hands/roles/ignored-names.js";
import { bareRepository, git } from "./fake-git.js";

const keptBytes = 16_384;

/** The worker's tools on a folder of the host: without any isolation, for tests that wrote all the code that runs. */
export class FakeWork implements Work {
  readonly isLost = false;
  readonly endedAsleep = false;
  readonly isCurrent = true;
  starts = 0;

  constructor(
    private readonly root: string,
    private readonly repo: string,
    private readonly scratch: string,
  ) {}

  async start(): Promise<Receipt> {
    this.starts += 1;
    return {
      passed: true,
      items: [{ name: "fake", passed: true, seen: "a folder of the host" }],
      leftOut: [],
      openTo: [],
    };
  }

  async beginTask(commit: CommitId): Promise<void> {
    await rm(this.scratch, { recursive: true, force: true });
    bareRepository(this.scratch);
    await writeFile(join(this.scratch, "objects/info/alternates"), `${join(this.repo, "objects")}\n`);
    const shallow = await readFile(join(this.repo, "shallow")).catch(() => null);
    if (shallow) await writeFile(join(this.scratch, "shallow"), shallow);
    await git(["--git-dir", this.scratch, "update-ref", "refs/heads/work", commit]);
    await git(["--git-dir", this.scratch, "read-tree", commit]);
  }

  async bash(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandResult> {
    const began = performance.now();
    const child = spawn("bash", ["-c", command], {
      cwd: this.root,
      env: { PATH: process.env.PATH, GIT_DIR: this.scratch, GIT_WORK_TREE: this.root, LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const ended = await ending(child, timeoutMs, signal);
    if (signal.aborted) throw new Interrupted();
    return { ...ended, killed: [], full: null, refusedHosts: [], ms: performance.now() - began };
  }

  async quiet(): Promise<void> {}

  async end(): Promise<void> {}

  async readFile(request: { path: string; offset?: number; limit?: number; maxBytes: number }) {
    const file = await this.regularFile(request.path);
    if (!file.ok) return file;
    const whole = file.content.toString("latin1").split(/(?<=\n)/);
    const first = request.offset ?? 1;
    const lines = whole.slice(first - 1, request.limit === undefined ? undefined : first - 1 + request.limit);
    const content = Buffer.from(lines.join(""), "latin1");
    return {
      ok: true as const,
      content: content.subarray(0, request.maxBytes),
      size: file.content.length,
      firstLine: first,
      lastLine: first + lines.length - 1,
      truncated: content.length > request.maxBytes || first - 1 + lines.length < whole.length,
    };
  }

  async writeFile(request: {
    path: string;
    content: Uint8Array;
    lint: LintRequest | null;
  }): Promise<Answer<EditResult>> {
    const inside = await this.inside(request.path);
    if (!inside.ok) return inside;
    await mkdir(dirname(inside.host), { recursive: true });
    await writeFile(inside.host, request.content);
    return edited(inside.path, request.content.length, request.lint);
  }

  async editFile(request: {
    path: string;
    oldString: string;
    newString: string;
    maxBytes: number;
    lint: LintRequest | null;
  }): Promise<Answer<EditResult>> {
    const file = await this.regularFile(request.path);
    if (!file.ok) return file;
    const [old, fresh] = [Buffer.from(request.oldString), Buffer.from(request.newString)];
    const at = file.content.indexOf(old);
    const matches = file.content.toString("latin1").split(old.toString("latin1")).length - 1;
    if (matches !== 1) return { ok: false, problem: `old_string occurs ${matches} times in ${request.path}, not once` };
    const content = Buffer.concat([file.content.subarray(0, at), fresh, file.content.subarray(at + old.length)]);
    await writeFile(file.host, content);
    return edited(file.path, content.length, request.lint);
  }

  async glob(request: { pattern: string; limit: number }) {
    const matching = globExpression(request.pattern);
    const paths = (await this.files()).filter((path) => matching.test(path)).sort();
    return { ok: true as const, paths: paths.slice(0, request.limit), truncated: paths.length > request.limit };
  }

  async grep(request: { pattern: string; pathGlob: string | null; limit: number }) {
    const where = request.pathGlob === null ? /^/ : globExpression(request.pathGlob);
    const expression = parsed(request.pattern);
    if (!expression) return { ok: false as const, problem: `not a regular expression: ${request.pattern}` };
    const lines: string[] = [];
    for (const path of (await this.files()).filter((each) => where.test(each)).sort()) {
      const text = await readFile(join(this.root, path), "utf8");
      text
        .replace(/\n$/, "")
        .split("\n")
        .forEach((line, index) => {
          if (expression.test(line)) lines.push(`${path}:${index + 1}: ${line}`);
        });
    }
    return { ok: true as const, lines: lines.slice(0, request.limit), truncated: lines.length > request.limit };
  }

  private async files(): Promise<string[]> {
    const found: string[] = [];
    const walk = async (folder: string): Promise<void> => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (skippedFolders.some((name) => name === entry.name)) continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await walk(path);
        else if (entry.isFile()) found.push(relative(this.root, path));
      }
    };
    await walk(this.root);
    return found;
  }

  private async inside(path: string): Promise<Answer<{ host: string; path: string }>> {
    const named = path.startsWith("/workspace/") ? path.slice("/workspace/".length) : path;
    const clean = posix.normalize(named);
    const escapes = clean.startsWith("/") || clean === ".." || clean.startsWith("../");
    if (escapes) return { ok: false, problem: `${path} is outside the workspace` };
    const host = join(this.root, clean);
    const real = await realpath(host).catch(() => realpath(dirname(host)).catch(() => host));
    const root = await realpath(this.root);
    if (real !== root && !real.startsWith(`${root}/`))
      return { ok: false, problem: `${path} leads out of the workspace` };
    return { ok: true, host, path: clean };
  }

  private async regularFile(path: string): Promise<Answer<{ host: string; path: string; content: Buffer }>> {
    const inside = await this.inside(path);
    if (!inside.ok) return inside;
    const stat = await lstat(await realpath(inside.host).catch(() => inside.host)).catch(() => null);
    if (!stat) return { ok: false, problem: `${path} does not exist` };
    if (!stat.isFile()) return { ok: false, problem: `${path} is no regular file` };
    return { ...inside, content: await readFile(inside.host) };
  }
}

function edited(path: string, bytes: number, lint: LintRequest | null): Answer<EditResult> {
  return { ok: true, bytes, path, lint: lint && path.endsWith(".py") ? "" : null, lintMs: 0 };
}

async function ending(child: ChildProcess, timeoutMs: number, signal: AbortSignal) {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  let timedOut = false;
  const kill = () => child.pid !== undefined && killGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  const [exit, by] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on("exit", (code, name) => resolve([code, name])),
  );
  kill();
  await new Promise((resolve) => (child.stdout?.closed ? resolve(null) : child.once("close", resolve)));
  clearTimeout(timer);
  signal.removeEventListener("abort", kill);
  const all = Buffer.concat(chunks);
  const omitted = Math.max(0, all.length - 2 * keptBytes);
  const head = all.subarray(0, keptBytes);
  return { exit, signal: by, timedOut, head, tail: all.subarray(head.length + omitted), omitted };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // the group had ended already
  }
}

function parsed(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern);
  } catch {
    return null;
  }
}

function globExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\*\*\/|\*\*|\*|\?/g, (part) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*" })[part] ?? "[^/]");
  return new RegExp(`^${source}$`, "s");
}
