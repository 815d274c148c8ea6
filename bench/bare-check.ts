import { checkPython } from "../runner/hands/ports/container-paths.js";
import type { Files } from "../test/helpers/sources.js";
import { BareContainer } from "./bare-container.js";
import type { Bench } from "./line.js";
import { openWorkshop, type Workshop } from "./workshop.js";

const git = ["env", "GIT_INDEX_FILE=/tmp/index", "git", "--git-dir=/repo", "--work-tree=/workspace"];
const caches = ["find", "/workspace", "(", "-name", "__pycache__", "-o", "-name", ".*_cache", ")"];

/** Checks a tree as anybody would, in a container that is there already: pytest, then ruff, both from nothing. */
export class BareCheck implements AsyncDisposable {
  private constructor(
    private readonly workshop: Workshop,
    private readonly container: BareContainer,
    private readonly python: string,
  ) {}

  static async open(bench: Bench, files: Files, environment: string | null = null): Promise<BareCheck> {
    const workshop = await openWorkshop(bench, files);
    const container = await BareContainer.start(bench, workshop.session, { role: "check", environment });
    await container.time([...git, "checkout", workshop.base, "--", "."]);
    return new BareCheck(workshop, container, environment === null ? "python" : checkPython(true));
  }

  async time(): Promise<number> {
    const pytest = await this.pytest();
    return pytest + (await this.container.time(["ruff", "check", "--no-fix", "--no-fix-only", "--no-cache", "."]));
  }

  async pytest(...files: readonly string[]): Promise<number> {
    await this.container.time([...caches, "-prune", "-exec", "rm", "-rf", "{}", "+"]);
    return this.container.time([this.python, "-m", "pytest", ...files]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container[Symbol.asyncDispose]();
    await this.workshop[Symbol.asyncDispose]();
  }
}
