import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forGitSubject, forModel, forProgressLine, forTerminal, oneLine } from "../../runner/text/sanitise.js";

const hostile = "ok\u001b]0;title\u0007\u001b[2J\u009b31m\r\n\u202Eevil\u2066\u2028forged\u0000\u007f\ud800";
const acts = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f]/u;

describe("text for a person", () => {
  it("holds nothing that acts on a terminal, except line breaks and tabs", () => {
    expect(forTerminal(hostile)).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(forTerminal("one\r\n\ttwo\n")).toBe("one\n\ttwo\n");
  });

  it("keeps what people write", () => {
    for (const text of ["naïve – “quotes” 日本語", "می‌خواهم", "👩‍💻 done", "a $& b $$ {braces} %s"]) {
      expect(forTerminal(text)).toBe(text);
      expect(oneLine(text, 100)).toBe(text);
    }
  });

  it("becomes one printable line of bounded length, whatever goes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 120 }), (text, max) => {
        const line = oneLine(text, max);
        expect(line).not.toMatch(acts);
        expect(line).not.toMatch(/\p{Cs}/u);
        expect(line.length).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("is cut at 100 characters in a commit's subject, without splitting one", () => {
    expect(forGitSubject(`T-001: ${"x".repeat(93)}`)).toHaveLength(100);
    const cut = forGitSubject(`${"x".repeat(98)}😀 and more`);
    expect(cut).toBe(`${"x".repeat(98)}…`);
  });

  it("stays in its field of a tab-separated line", () => {
    expect(forProgressLine("a\tb\nT-002\tdone\tforged")).toBe("a b T-002 done forged");
  });
});

describe("text for a model", () => {
  it("has characters spelled out that hide text or turn it around", () => {
    const trojan = 'if role != "user\u202e \u2066// admin\u2069": grant()';
    expect(forModel(trojan)).toBe('if role != "user\\u{202e} \\u{2066}// admin\\u{2069}": grant()');
    expect(forModel("pass\u200bword\u200d \u001b[2J\rover")).toBe(
      "pass\\u{200b}word\\u{200d} \\u{001b}[2J\\u{000d}over",
    );
    expect(forModel("\u{e0041}\ud800")).toBe("\\u{e0041}\\u{d800}");
  });

  it("hides no bytes between its characters", () => {
    const unseen = [
      "\u{e0100}",
      "\u{e01ef}",
      "\ufe0f",
      "\u034f",
      "\u115f",
      "\u1160",
      "\u17b4",
      "\u180b",
      "\u3164",
      "\uffa0",
    ];
    for (const mark of [...unseen, "\u{1bca0}", "\u{1d173}"])
      expect(forModel(`a${mark}b`)).toMatch(/^a\\u\{[0-9a-f]{4,5}\}b$/);
  });

  it("is otherwise unchanged", () => {
    const plain = "Größe\t日本語 🎉\r\n\n\\u{202e}";
    expect(forModel(plain)).toBe(plain);
  });
});
