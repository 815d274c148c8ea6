import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SelectiveReading, Withholding } from "../../../runner/hands/ports/reading.js";
import { text } from "./in-hands.js";

/** Opens these files for reading; a value that begins with `->` is a link to another path. */
export type OpenReading = (files: Readonly<Record<string, string>>) => Promise<OpenedReading>;

export interface OpenedReading extends AsyncDisposable {
  readonly reading: SelectiveReading;
}

const { signal } = new AbortController();
const nothing: Withholding = { like: "(?!)", shown: [] };
const secrets: Withholding = { like: "(^|/)\\.env$|secret", shown: ["docs/secret-santa.md"] };
const files = {
  "shop/prices.py": "PRICE = 1\nTAX = 2\nPRICE = 3\n",
  "shop/new.py": "NEW = True\n",
  ".env": "PRICE=canary\n",
  "docs/secret-santa.md": "PRICE of a gift\n",
  "link.py": "->shop/prices.py",
  "notes.txt": "->.env",
};

/** Holds one implementation of SelectiveReading to its contract. */
export function readingContract(name: string, open: OpenReading): void {
  describe(name, () => {
    let opened: OpenedReading;
    beforeAll(async () => {
      opened = await open(files);
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    const read = (path: string, withhold = nothing, more: { offset?: number; limit?: number } = {}) =>
      opened.reading.readFile({ path, maxBytes: 1000, ...more }, withhold, signal);

    test("a file is read whole or by its lines, a link inside by where it leads", async () => {
      const whole = await read("shop/prices.py");
      expect(whole).toMatchObject({
        answer: { ok: true, size: 28, firstLine: 1, lastLine: 3, truncated: false },
        withheld: { paths: [], count: 0 },
      });
      const { answer } = await read("shop/prices.py", nothing, { offset: 2, limit: 1 });
      expect(answer).toMatchObject({ ok: true, firstLine: 2, lastLine: 2, truncated: true });
      expect(answer.ok && text(answer.content)).toBe("TAX = 2\n");
      const linked = await read("link.py");
      expect(linked.answer.ok && text(linked.answer.content)).toBe(files["shop/prices.py"]);
    });

    test("no more bytes come than are asked for", async () => {
      const { answer } = await opened.reading.readFile({ path: "shop/prices.py", maxBytes: 4 }, nothing, signal);
      expect(answer).toMatchObject({ ok: true, truncated: true });
      expect(answer.ok && answer.content.length).toBeLessThanOrEqual(4);
    });

    test("a path that is not there or leads out, and a line past the end, are answers", async () => {
      for (const path of ["none.py", "../none.py"])
        expect(await read(path)).toMatchObject({ answer: { ok: false }, withheld: { paths: [], count: 0 } });
      const past = await read("shop/prices.py", nothing, { offset: 9 });
      expect(past.answer).toMatchObject({ ok: false, problem: expect.stringContaining("past the end") });
    });

    test("a withheld file is not read, and all its names are told", async () => {
      const empty = { ok: true, content: Buffer.of(), size: 0, firstLine: 0, lastLine: 0, truncated: false };
      for (const path of [".env", "notes.txt"])
        expect(await read(path, secrets)).toEqual({ answer: empty, withheld: { paths: [".env"], count: 1 } });
      expect((await read(".env")).answer).toMatchObject({ ok: true, size: 13 });
      expect((await read("docs/secret-santa.md", secrets)).answer).toMatchObject({ ok: true, size: 16 });
    });

    test("names come sorted and as many as asked for, without what is withheld", async () => {
      const glob = (limit: number, withhold = nothing) =>
        opened.reading.glob({ pattern: "**/*.*", limit }, withhold, signal);
      const all = [".env", "docs/secret-santa.md", "link.py", "notes.txt", "shop/new.py", "shop/prices.py"];
      expect((await glob(9)).answer).toMatchObject({ ok: true, paths: all, truncated: false });
      expect((await glob(2)).answer).toMatchObject({ ok: true, paths: all.slice(0, 2), truncated: true });
      const { answer, withheld } = await glob(9, secrets);
      expect([answer, withheld]).toMatchObject([{ paths: all.filter((path) => path !== ".env") }, { paths: [".env"] }]);
    });

    test("lines are found by a pattern, in the order of their files, without what is withheld", async () => {
      const grep = (pathGlob: string | null, limit: number, withhold = nothing) =>
        opened.reading.grep({ pattern: "PRICE", pathGlob, limit }, withhold, signal);
      const inShop = ["shop/prices.py:1: PRICE = 1", "shop/prices.py:3: PRICE = 3"];
      expect((await grep("shop/*", 9)).answer).toMatchObject({ ok: true, lines: inShop, truncated: false });
      const cut = { ok: true, lines: inShop.slice(0, 1), truncated: true };
      expect((await grep("shop/*", 1)).answer).toMatchObject(cut);
      const lines = [".env:1: PRICE=canary", "docs/secret-santa.md:1: PRICE of a gift", ...inShop];
      expect((await grep(null, 9)).answer).toMatchObject({ lines });
      const { answer, withheld } = await grep(null, 9, secrets);
      expect([answer, withheld]).toMatchObject([{ lines: lines.slice(1) }, { paths: [".env"], count: 1 }]);
    });
  });
}
