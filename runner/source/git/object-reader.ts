import { TilthError } from "../../base/errors.js";
import type { GitProcess } from "./git-process.js";
import type { GitCall, HostGit } from "./host-git.js";

export interface ObjectInfo {
  readonly type: string;
  readonly size: number;
}

const args = ["cat-file", "--batch-command", "--buffer"] as const;

/** One git that answers questions about objects. Questions go out together, answers come back in their order. */
export class ObjectReader implements AsyncDisposable {
  readonly #git: HostGit;
  readonly #call: GitCall;
  readonly #child: GitProcess;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(git: HostGit, call: GitCall) {
    this.#git = git;
    this.#call = call;
    this.#child = git.open(args, call);
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]();
  }

  /** Returns null for a missing object. Each name is anything that git resolves, without a line break. */
  async info(names: readonly string[]): Promise<(ObjectInfo | null)[]> {
    this.#ask(names, "info");
    const found: (ObjectInfo | null)[] = [];
    for (const _ of names) found.push(parseInfo(await this.#line()));
    return found;
  }

  /** Returns whole objects of at most `maxBytes`, and null for one that is missing, of another type or bigger. */
  async contents(ids: readonly string[], type: string, maxBytes: number): Promise<(Buffer | null)[]> {
    const known = await this.info(ids);
    const fits = ids.filter((_, index) => known[index]?.type === type && (known[index]?.size ?? 0) <= maxBytes);
    this.#ask(fits, "contents");
    const read = new Map<string, Buffer>();
    for (const id of fits) {
      const header = parseInfo(await this.#line());
      if (header !== null) read.set(id, (await this.#take(header.size + 1)).subarray(0, header.size));
    }
    return ids.map((id) => read.get(id) ?? null);
  }

  /** Returns the first bytes of an object of any size; the reader cannot be used afterwards. Null as for `contents`. */
  async start(id: string, type: string, maxBytes: number): Promise<{ content: Buffer; size: number } | null> {
    const [known] = await this.info([id]);
    if (known?.type !== type) return null;
    this.#ask([id], "contents");
    await this.#line();
    const content = await this.#take(Math.min(known.size, maxBytes));
    return { content, size: known.size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // unread output would keep the pipe open, and the end of git would never be seen
    await this.#chunks.return?.();
    await this.#child[Symbol.asyncDispose]();
  }

  #ask(names: readonly string[], command: "info" | "contents"): void {
    if (names.length === 0) return;
    this.#child.stdin.write(`${names.map((name) => `${command} ${name}\n`).join("")}flush\n`);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(10);
      if (end >= 0) return (await this.#take(end + 1)).toString("latin1", 0, end);
      await this.#more();
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#rest.length < length) await this.#more(length - this.#rest.length);
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Joins the chunks once per request, so that a big object is not copied for each of its chunks. */
  async #more(atLeast = 1): Promise<void> {
    const chunks = [this.#rest];
    for (let got = 0; got < atLeast; ) {
      const next = await this.#chunks.next();
      if (next.done) return this.#lost();
      chunks.push(next.value);
      got += next.value.length;
    }
    this.#rest = Buffer.concat(chunks);
  }

  async #lost(): Promise<never> {
    await this.#git.finish(this.#child, args, { ...this.#call, accept: [] });
    throw new TilthError("infra", `git could not ${this.#call.doing}`, "try again");
  }
}

function parseInfo(line: string): ObjectInfo | null {
  const [, type = "", size = ""] = line.split(" ");
  return size === "" ? null : { type, size: Number(size) };
}
