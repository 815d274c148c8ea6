import { setImmediate as turn } from "node:timers/promises";

/** Why a link of a tree must not be. */
export type Astray = "out" | "into .git" | "too far to be followed";

type End = { readonly folder: string } | "nowhere" | Astray;

/** Folders further down are in no tree, and steps beyond these in no honest one. */
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
 * Where the links of a tree lead, by resolution through one another and without asking a file system. Each is followed once,
 * so that it costs no more than all of them are long; other things have their turn meanwhile.
 */
export class LinkEnds {
  readonly #targets: ReadonlyMap<string, string>;
  readonly #isGitName: (name: string) => boolean;
  readonly #ends = new Map<string, End>();
  #steps = 0;

  /** `targets` by path; bytes one to a character */
  constructor(targets: ReadonlyMap<string, string>, isGitName: (name: string) => boolean) {
    this.#targets = targets;
    this.#isGitName = isGitName;
  }

  /** Null for a link that stays inside, or opens nothing. */
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

  /** Until its end is known a link leads nowhere: one that comes back to itself opens nothing. */
  #begin(link: string): Way {
    this.#ends.set(link, "nowhere");
    return { link, names: (this.#targets.get(link) ?? "").split("/"), at: 0, here: folderOf(link) };
  }

  /** The next name of a way; null when it goes on. */
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
