import { setImmediate as turn } from "node:timers/promises";

/** Reasons to refuse a link in a tree. */
export type Astray = "out" | "into .git" | "too far to be followed";

type End = { readonly folder: string } | "nowhere" | Astray;

/** No tree holds a folder with a longer path, and no honest tree needs more steps. */
const mostCharacters = 4_096;
const mostSteps = 5_000_000;
const stepsInTurn = 20_000;

interface Way {
  readonly link: string;
  readonly names: readonly string[];
  at: number;
  here: string;
}

/**
 * Finds out where the links of a tree lead by resolving them through one another, without asking a file system. Each
 * link is followed once, so the work grows only with the length of all links together; it yields to the event loop
 * meanwhile.
 */
export class LinkEnds {
  readonly #targets: ReadonlyMap<string, string>;
  readonly #isGitName: (name: string) => boolean;
  readonly #ends = new Map<string, End>();
  #steps = 0;

  /** `targets` maps each link's path to its target; both hold one byte per character */
  constructor(targets: ReadonlyMap<string, string>, isGitName: (name: string) => boolean) {
    this.#targets = targets;
    this.#isGitName = isGitName;
  }

  /** Returns null for a link that stays inside or opens nothing. */
  async astray(link: string): Promise<Astray | null> {
    const end = this.#isGitName(nameOf(link)) ? "into .git" : await this.#follow(link);
    return typeof end === "object" || end === "nowhere" ? null : end;
  }

  async #follow(link: string): Promise<End> {
    const known = this.#ends.get(link);
    if (known !== undefined) return known;
    const ways = [this.#begin(link)];
    for (let way = ways.at(-1); way !== undefined; way = ways.at(-1)) {
      if (++this.#steps % stepsInTurn === 0) await turn();
      const next = this.#step(way);
      if (next === null) continue;
      if ("link" in next) ways.push(this.#begin(next.link));
      else {
        this.#ends.set(way.link, next.end);
        ways.pop();
      }
    }
    return this.#ends.get(link) ?? "nowhere";
  }

  /** Until its end is known, a link counts as leading nowhere, so a loop of links opens nothing. */
  #begin(link: string): Way {
    this.#ends.set(link, "nowhere");
    return { link, names: (this.#targets.get(link) ?? "").split("/"), at: 0, here: folderOf(link) };
  }

  /** Takes the next name of a way. Returns a link to follow first, the end of the way, or null when the way goes on. */
  #step(way: Way): { readonly link: string } | { readonly end: End } | null {
    if (this.#steps > mostSteps) return { end: "too far to be followed" };
    const name = way.names[way.at];
    if (name === undefined) return { end: { folder: way.here } };
    if (name === "" && way.at === 0 && way.names.length > 1) return { end: "out" };
    const there = this.#enter(way.here, name);
    if (typeof there === "object" && "link" in there) return there;
    if (typeof there !== "object") return { end: there };
    way.here = there.folder;
    way.at += 1;
    return null;
  }

  #enter(here: string, name: string): End | { readonly link: string } {
    if (name === "" || name === ".") return { folder: here };
    if (name === "..") return here === "" ? "out" : { folder: folderOf(here) };
    if (this.#isGitName(name)) return "into .git";
    const path = here === "" ? name : `${here}/${name}`;
    if (this.#targets.has(path)) return this.#ends.get(path) ?? { link: path };
    return path.length > mostCharacters ? "out" : { folder: path };
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
