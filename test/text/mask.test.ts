import { describe, expect, it } from "vitest";
import { Masker } from "../../runner/text/mask.js";

const key = 'sk-live/"A+b=9f27c1';
const masker = new Masker([key, null, "ollama"]);

const everyEscape = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

describe("the masker", () => {
  it.each([
    ["as it is", (text: string) => text],
    ["in JSON", (text: string) => JSON.stringify(text)],
    ["in JSON, with each of its characters escaped", everyEscape],
    ["in JSON within JSON", (text: string) => JSON.stringify(`{"a":"${everyEscape(text)}`)],
    ["in JSON, with one of its characters escaped", (text: string) => text.replace("k", "\\u006B").replace("/", "\\/")],
    ["in an address", encodeURIComponent],
    ["as hex", (text: string) => Buffer.from(text).toString("hex")],
    ["as base64", (text: string) => Buffer.from(text).toString("base64")],
    ["as base64 behind one byte", (text: string) => Buffer.from(`:${text}`).toString("base64")],
    ["as base64 behind two bytes", (text: string) => Buffer.from(`::${text}`).toString("base64")],
    ["as base64 for addresses", (text: string) => Buffer.from(`u:${text}:`).toString("base64url")],
  ])("finds a key %s", (_, encode) => {
    const text = `before ${encode(key)} after`;
    expect(masker.text(text)).toMatch(/^before .*\[masked key\].* after$/);
    expect(masker.text(`before ${encode("sk-another-key-1234")} after`)).not.toContain("masked");
  });

  it("masks fields of any depth and their names, and leaves everything else as it was", () => {
    const value = { list: [{ [key]: key }], count: 1, none: null };
    expect(masker.deep(value)).toEqual({ list: [{ "[masked key]": "[masked key]" }], count: 1, none: null });
  });

  it("masks a key that contains another one as a whole", () => {
    const both = new Masker(["sk-12345678", "sk-12345678-of-the-evaluator"]);
    expect(both.text("sk-12345678-of-the-evaluator")).toBe("[masked key]");
  });

  it("leaves the dummy keys of local servers in ordinary text", () => {
    expect(masker.text("pip install ollama")).toBe("pip install ollama");
  });
});
