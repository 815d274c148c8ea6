const mask = "[masked key]";
/** Shorter keys are the dummies of local servers ("ollama", "test"); masking those would tear ordinary code apart. */
const shortestKey = 8;

/** Takes known keys out of text, both as they are and in the usual encodings. */
export class Masker {
  readonly #forms: RegExp | null;

  constructor(keys: readonly (string | null)[]) {
    const secrets = keys.filter((key): key is string => key !== null && key.length >= shortestKey);
    const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
    const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length).map(escaped);
    const all = [...longestFirst.map(inEscapes), ...forms];
    this.#forms = all.length === 0 ? null : new RegExp(all.join("|"), "g");
  }

  text(text: string): string {
    return this.#forms === null ? text : text.replace(this.#forms, mask);
  }

  /** Returns the same value with every text in it masked, names of fields included. */
  deep<T>(value: T): T {
    return this.#walk(value) as T;
  }

  #walk(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.#walk(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.text(name), this.#walk(one)]));
  }
}

function formsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  const base64 = [0, 1, 2].map((before) => base64Inside(bytes, before));
  const base64Url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [encodeURIComponent(key), bytes.toString("hex"), ...base64, ...base64Url];
}

/** The characters of a base64 text that depend on the key alone when `before` bytes (mod 3) stand in front of it. */
function base64Inside(key: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), key]).toString("base64");
  const bits = (before + key.length) * 8;
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
}

/** Matches the key as JSON may write it, nested JSON too: any of its characters may be escaped. */
function inEscapes(key: string): string {
  const units = key.split("");
  return units.map((one) => `(?:${escaped(one)}|\\\\{1,8}(?:${shortEscape(one)}u${anyCase(hexOf(one))}))`).join("");
}

function shortEscape(one: string): string {
  return /["\\/]/.test(one) ? `${escaped(one)}|` : "";
}

function hexOf(one: string): string {
  return one.charCodeAt(0).toString(16).padStart(4, "0");
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
