/** The attributes of one tag by name in lower case; the first of each name counts. */
export type Attributes = ReadonlyMap<string, string>;

export interface Tag {
  readonly name: string;
  readonly attributes: Attributes;
}

const tagName = /[a-zA-Z][^\s/>]*/y;
const gap = /[\s/]*/y;
const attributeName = /[^\s"'<>/=]+/y;
const attributeValue = /\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/y;
/** everything inside these elements is text */
const textOnly = new Set(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"]);

/** no person or program writes more; such a tag is ignored */
const mostAttributes = 1_000;
const longestValue = 64 * 1024;
/** tags that are no links: the event loop gets a turn after this many */
const otherAtOnce = 5_000;
/** characters: the event loop gets a turn after this many */
const lettersAtOnce = 500_000;

/**
 * Yields the tags `a` and `base` of a page in order, and null now and then when there are none for long. A tag that a
 * browser would have to guess at is ignored.
 */
export function* linksIn(html: string): Generator<Tag | null> {
  let at = html.indexOf("<");
  for (let [seen, turned] = [1, 0]; at >= 0; seen += 1) {
    if (seen % otherAtOnce === 0 || at - turned > lettersAtOnce) {
      turned = at;
      yield null;
    }
    const after = html.charCodeAt(at + 1);
    const letter = (after | 32) >= 97 && (after | 32) <= 122;
    if (letter) {
      const [tag, end] = tagAt(html, at + 1);
      if (tag?.name === "a" || tag?.name === "base") yield tag;
      at = tag !== null && textOnly.has(tag.name) ? endOfText(html, tag.name, end) : end;
    } else at = endOfOther(html, at);
    if (at >= 0) at = html.indexOf("<", at);
  }
}

/** Returns null for a text that does not end like a tag, with the place to go on from. */
function tagAt(html: string, start: number): [Tag | null, number] {
  const name = (taken(tagName, html, start)?.[0] ?? "").toLowerCase();
  let at = start + name.length;
  const attributes = new Map<string, string>();
  for (let seen = 0; seen <= mostAttributes; seen += 1) {
    at += taken(gap, html, at)?.[0].length ?? 0;
    if (html[at] === ">") return [{ name, attributes }, at + 1];
    const key = taken(attributeName, html, at)?.[0];
    if (key === undefined) return [null, at];
    at += key.length;
    const value = taken(attributeValue, html, at);
    at += value?.[0].length ?? 0;
    const own = key.toLowerCase();
    const text = value?.[1] ?? value?.[2] ?? value?.[3] ?? "";
    if (text.length > longestValue) return [null, at];
    if (!attributes.has(own)) attributes.set(own, withoutEntities(text));
  }
  return [null, at];
}

function taken(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOfText(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

function endOfOther(html: string, at: number): number {
  if (html.startsWith("<!--", at)) {
    const end = html.indexOf("-->", at + 4);
    return end < 0 ? -1 : end + 3;
  }
  return /[!?/]/.test(html[at + 1] ?? "") ? html.indexOf(">", at) : at + 1;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign);
}
