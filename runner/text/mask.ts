const mask = "[masked key]";
/** Shorter keys are the dummies of local servers ("ollama", "test"); masking those would tear ordinary code apart. */
const shortestKey = 8;

/** Takes known keys out of text, both as they are and in the usual encodings. */
export class Masker {
  readonly #forms: RegExp | null;

  constructor(keys: readonly (string | null)[]) {
    const secrets = keys.filter((key): key is string => key !== null && key.length >= shortestKey);
    const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    this.#forms = forms.length === 0 ? null : new RegExp(forms.map(escaped).join("|"), "g");
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
  const json = JSON.stringify(key).slice(1, -1);
  const base64 = [0, 1, 2].map((before) => base64Inside(bytes, before));
  const base64Url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [key, json, encodeURIComponent(key), bytes.toString("hex"), ...base64, ...base64Url];
}

/** The characters of a base64 text that depend on the key alone when `before` bytes (mod 3) stand in front of it. */
function base64Inside(key: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), key]).toString("base64");
  const bits = (before + key.length) * 8;
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
