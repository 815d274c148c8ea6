import type { CommitId } from "../../base/ids.js";
import { lazily } from "../../base/lazily.js";
import type { Repository } from "./base-pack.js";
import { ObjectReader } from "./object-reader.js";

/** The regular files of a commit, read by git straight from the source's objects. */
export class CommitFiles {
  readonly #entries: () => Promise<ReadonlyMap<string, string>>;

  constructor(
    private readonly source: Repository,
    private readonly commit: CommitId,
    private readonly signal: AbortSignal,
  ) {
    this.#entries = lazily(() => this.#list());
  }

  blobs(): Promise<ReadonlyMap<string, string>> {
    return this.#entries();
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | null> {
    const oid = (await this.#entries()).get(path);
    if (oid === undefined) return null;
    const { git, gitDir } = this.source;
    await using reader = new ObjectReader(git, { gitDir, doing: `read ${path} of the base`, signal: this.signal });
    const [content = null] = await reader.contents([oid], "blob", maxBytes);
    return content;
  }

  async #list(): Promise<ReadonlyMap<string, string>> {
    const { git, gitDir } = this.source;
    const args = ["ls-tree", "-r", "-z", "--full-tree", this.commit];
    const { stdout } = await git.run(args, { gitDir, doing: "list the files of the base", signal: this.signal });
    const entries = stdout.toString("utf8").split("\0");
    return new Map(
      entries.flatMap((entry) => {
        const [, oid, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
        return oid && path ? [[path, oid] as const] : [];
      }),
    );
  }
}

/** no version is longer, and a packed ref may have any length */
const longestTag = 1_000;

/** Returns the nearest tag among a commit and its ancestors, or null when there is none. */
export async function nearestTag(source: Repository, commit: CommitId, signal: AbortSignal): Promise<string | null> {
  const { stdout, exit } = await source.git.run(["describe", "--tags", "--abbrev=0", commit], {
    gitDir: source.gitDir,
    doing: "look for the tag nearest to the base",
    signal,
    accept: [0, 128],
  });
  const tag = stdout.toString("utf8").trim();
  return exit === 0 && tag.length <= longestTag ? tag : null;
}
