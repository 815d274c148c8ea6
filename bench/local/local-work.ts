import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Answer } from "../../runner/hands/ports/reading.js";
import type { CommandResult, EditResult, LintRequest, Work } from "../../runner/hands/ports/work.js";
import { ruffCheck } from "../../runner/hands/roles/ruff-rules.js";
import { FakeWork } from "../../test/helpers/fake-work.js";
import { outputOf } from "./program.js";

/** The worker's tools on a folder of the host, as a harness without containers has them: a shell, files, ruff after edits. */
export class LocalWork extends FakeWork {
  constructor(
    private readonly places: { readonly worktree: string; readonly repo: string; readonly scratch: string },
    private readonly bin: string,
  ) {
    super(places.worktree, places.repo, places.scratch);
  }

  override async bash(command: string): Promise<CommandResult> {
    const began = performance.now();
    const child = spawn("bash", ["-c", command], {
      cwd: this.places.worktree,
      env: { ...environment(this.bin), GIT_DIR: this.places.scratch, GIT_WORK_TREE: this.places.worktree },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => chunks.push(chunk));
    const [exit, signal] = (await once(child, "close")) as [number | null, string | null];
    const rest = { timedOut: false, tail: new Uint8Array(), omitted: 0, killed: [], full: null, refusedHosts: [] };
    return { exit, signal, head: Buffer.concat(chunks), ...rest, ms: performance.now() - began };
  }

  override async writeFile(request: Parameters<Work["writeFile"]>[0]): Promise<Answer<EditResult>> {
    return this.linted(await super.writeFile(request), request.lint);
  }

  override async editFile(request: Parameters<Work["editFile"]>[0]): Promise<Answer<EditResult>> {
    return this.linted(await super.editFile(request), request.lint);
  }

  private async linted(answer: Answer<EditResult>, lint: LintRequest | null): Promise<Answer<EditResult>> {
    if (!answer.ok || lint === null || !answer.path.endsWith(".py")) return answer;
    const argv = [...ruffCheck({ ...lint.rules, program: join(this.bin, "ruff") }), answer.path];
    const { exit, output } = await outputOf(argv, { cwd: this.places.worktree, env: environment(this.bin) });
    return { ...answer, lint: exit === 0 ? "" : output };
  }
}

export function environment(bin: string): Record<string, string> {
  return { PATH: `${bin}:${process.env.PATH}`, LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1" };
}
