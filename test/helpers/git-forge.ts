import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CommitId, commitId, type TreeId, treeId } from "../../runner/base/ids.js";
import { GitRepo } from "./git-repo.js";

export interface ForgedEntry {
  readonly mode: string;
  readonly name: string | Buffer;
  readonly oid: string;
}

/** Makes objects that no honest git would make, beside a repository whose own objects it can name. */
export class Forge implements Disposable {
  readonly #repo = new GitRepo("forge");
  readonly #made: string[] = [];

  constructor(beside: GitRepo) {
    writeFileSync(join(this.#repo.path, ".git/objects/info/alternates"), `${join(beside.path, ".git/objects")}\n`);
  }

  blob(content: string): string {
    return this.#write("blob", Buffer.from(content));
  }

  /** Writes the entries as they are given, sorted or not. */
  tree(entries: readonly ForgedEntry[]): TreeId {
    const parts = entries.flatMap(({ mode, name, oid }) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, "hex"),
    ]);
    return treeId(this.#write("tree", Buffer.concat(parts)));
  }

  commit(tree: string, parents: readonly string[]): CommitId {
    const who = "Ada <ada@example.org> 1700000000 +0000";
    const lines = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${who}`,
      `committer ${who}`,
      "",
      "forged\n",
    ];
    return commitId(this.#write("commit", Buffer.from(lines.join("\n"))));
  }

  /** A pack of all forged objects except `without`. */
  async *pack(without: readonly string[] = []): AsyncGenerator<Uint8Array> {
    const ids = this.#made.filter((id) => !without.includes(id));
    yield this.#repo.pipe(`${ids.join("\n")}\n`, "pack-objects", "--stdout", "-q");
  }

  [Symbol.dispose](): void {
    this.#repo[Symbol.dispose]();
  }

  #write(type: string, content: Buffer): string {
    const id = this.#repo.pipe(content, "hash-object", "-t", type, "-w", "--literally", "--stdin").toString().trim();
    this.#made.push(id);
    return id;
  }
}
