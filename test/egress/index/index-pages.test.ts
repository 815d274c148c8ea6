import { describe, expect, test } from "vitest";
import { linksIn } from "../../../runner/egress/index/html-anchors.js";
import { NoPage, type PageLink, rewritten } from "../../../runner/egress/index/index-pages.js";
import { someOf } from "../../helpers/every.js";

const json = "application/vnd.pypi.simple.v1+json";
const url = new URL("https://index.example/simple/pkg/");

async function rewrite(text: string, type = "text/html", at = url): Promise<{ text: string; urls: string[] }> {
  const urls: string[] = [];
  const place = ({ href, base, filename }: PageLink) => {
    urls.push(new URL(href, base).href);
    return `/f/${urls.length - 1}/${filename}`;
  };
  const { body } = await rewritten({ type, text, url: at }, place);
  return { text: body.toString(), urls };
}

const anchorsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("<a "));

describe("an HTML page", () => {
  test("keeps what an installer needs of each file, and hides where the file really is", async () => {
    const hash = "a".repeat(64);
    const { text, urls } = await rewrite(
      `<a href="../../files/pkg-1.0-py3-none-any.whl#sha256=${hash}" data-requires-python="&gt;=3.8,&lt;4" ` +
        `data-dist-info-metadata="sha256=${hash}" data-core-metadata=true data-yanked="so &quot;bad&quot;" onclick="x()">p</a>` +
        "<A HREF='https://files.example/a/pkg-1.0%2Bcu118.tar.gz?key=1&amp;b=2' data-yanked>q</A>",
    );
    expect(anchorsOf(text)).toEqual([
      `<a href="/f/0/pkg-1.0-py3-none-any.whl#sha256=${hash}" data-requires-python="&gt;=3.8,&lt;4" data-core-metadata="true" ` +
        `data-dist-info-metadata="sha256=${hash}" data-yanked="so &quot;bad&quot;">pkg-1.0-py3-none-any.whl</a><br>`,
      '<a href="/f/1/pkg-1.0+cu118.tar.gz" data-yanked="">pkg-1.0+cu118.tar.gz</a><br>',
    ]);
    expect(urls).toEqual([
      `https://index.example/files/pkg-1.0-py3-none-any.whl#sha256=${hash}`,
      "https://files.example/a/pkg-1.0%2Bcu118.tar.gz?key=1&b=2",
    ]);
    expect(text).not.toMatch(/example|onclick/);
  });

  test("resolves its links against its first base", async () => {
    const { urls } = await rewrite(
      '<base href="/root/"><base href="/other/"><a href="a-1.zip"></a><a href=//b.example/b-1.zip></a>',
    );
    expect(urls).toEqual(["https://index.example/root/a-1.zip", "https://b.example/b-1.zip"]);
  });

  test.each([
    ["in a comment", '<!-- <a href="x-1.zip"> -->'],
    ["in a script", '<script>"<a href=x-1.zip>"</script >'],
    ["in a title", "<title><a href=x-1.zip></title>"],
    ["in another tag's attribute", '<img alt="<a href=x-1.zip>">'],
    ["that never ends", '<a href="x-1.zip'],
    ["with a stray quote", '<a href=x-1.zip">'],
    ["of another tag", '<area href="x-1.zip"><abbr href=x-1.zip>'],
    ["of a script", '<a href="javascript:x-1.zip">'],
    ["to a file of the machine", '<a href="file:///x-1.zip">'],
    ["to what is no address", '<a href="http://[x/x-1.zip">'],
    ["up the tree, encoded", '<a href="https://a.example/%2e%2e%2fx-1.zip"><a href="..%2f..%2fx-1.zip">'],
    ["with a broken escape", '<a href="%zzx-1.zip">'],
    ["to a name that acts", '<a href="x%0a-1.zip"><a href="x%3Cb%3E-1.zip"><a href="-x-1.zip"><a href=".x-1.zip">'],
    ["to no distribution", '<a href="/"><a href="../"><a href="x-1.exe"><a href="x-1.whl.metadata">'],
  ])("gives no link %s, and still gives those after it", async (name, markup) => {
    const naive = [...markup.matchAll(/href\s*=\s*["']?([^"'\s>]+)/g)];
    expect(naive.length).toBeGreaterThan(0);
    const { urls, text } = await rewrite(`${markup}\n<a href="/honest-1.zip">honest</a>`);
    const swallowed = name === "that never ends";
    expect(urls).toEqual(swallowed ? [] : ["https://index.example/honest-1.zip"]);
    expect(anchorsOf(text)).toHaveLength(swallowed ? 0 : 1);
  });

  test("cannot forge an attribute or a line through what is kept", async () => {
    const { text } = await rewrite(
      `<a href="a-1.zip#sha256=${"a".repeat(64)}&quot;&gt;&lt;a href=b" data-requires-python='"><a href="/f/9/b-1.zip">&#10;x'>`,
    );
    expect([...linksIn(text)]).toHaveLength(1);
    expect(anchorsOf(text)).toEqual([
      '<a href="/f/0/a-1.zip" data-requires-python="&quot;&gt;&lt;a href=&quot;/f/9/b-1.zip&quot;&gt; x">a-1.zip</a><br>',
    ]);
  });

  test.each([
    ["opening signs", "<".repeat(3_000_000)],
    ["tags that never end", "<a x='".repeat(600_000)],
    ["attributes of spaces", `<a${" ".repeat(3_000_000)}`],
    ["spaces after equals", `<a x=${" ".repeat(3_000_000)}<`],
    ["comments that never end", "<!--".repeat(800_000)],
    ["scripts that never end", "<script>".repeat(400_000)],
    ["attributes", `<a ${"x=1 ".repeat(800_000)}>`],
  ])("of nothing but %s is read in time linear to its length", async (_, text) => {
    const started = performance.now();
    await rewrite(`${text}`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("gives no link from a tag of thousands of attributes, and still gives those after it", async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `a${at}`).join(" ");
    const markup = (more: string) => `<a ${more} href="x-1.zip"></a>\n<a href="/honest-1.zip">honest</a>`;
    expect((await rewrite(markup("one two=2"))).urls).toHaveLength(2);
    expect((await rewrite(markup(many))).urls).toEqual(["https://index.example/honest-1.zip"]);
    expect((await rewrite(markup(`b="${"x".repeat(100_000)}"`))).urls).toEqual(["https://index.example/honest-1.zip"]);
  });

  test("leaves the event loop its turns when it is long", async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    await rewrite('<a href="a-1.zip">'.repeat(100_000));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});

describe("a JSON page", () => {
  const page = (files: readonly unknown[], meta: unknown = { "api-version": "1.1" }) =>
    JSON.stringify({ meta, name: "pkg", files, extra: "https://index.example" });
  const sha256 = "b".repeat(64);

  test("keeps what an installer needs of each file, and nothing that is unknown", async () => {
    const file = {
      filename: "pkg-1.0-py3-none-any.whl",
      hashes: { sha256 },
      "requires-python": ">=3.8",
      "core-metadata": { sha256 },
      yanked: "broken",
      size: 7,
      "upload-time": "2024-01-01T00:00:00Z",
    };
    const more = { url: "../../files/x", provenance: "https://p.example", "gpg-sig": true };
    const { text, urls } = await rewrite(page([{ ...file, ...more }]), `${json}; charset=x`);
    expect(JSON.parse(text)).toEqual({
      meta: { "api-version": "1.1" },
      name: "pkg",
      files: [{ ...file, url: "/f/0/pkg-1.0-py3-none-any.whl" }],
    });
    expect(urls).toEqual(["https://index.example/files/x"]);
  });

  test.each([
    ["no name", { url: "x-1.zip", hashes: {} }],
    ["a name up the tree", { filename: "../x-1.zip", url: "x-1.zip", hashes: {} }],
    ["an encoded name", { filename: "..%2fx-1.zip", url: "x-1.zip", hashes: {} }],
    ["an address of no web server", { filename: "x-1.zip", url: "file:///etc/passwd", hashes: {} }],
    ["no address", { filename: "x-1.zip", url: "http://[", hashes: {} }],
    ["nothing at all", null],
  ])("leaves out a file with %s, and keeps those after it", async (_, file) => {
    const { urls } = await rewrite(page([file, { filename: "ok-1.zip", url: "/ok", hashes: {} }]), json);
    expect(urls).toEqual(["https://index.example/ok"]);
  });

  test("passes on no false hash, and no name that means something to a program", async () => {
    const hashes = '{"sha256":"x","__proto__":"aaaaaaaaaaaaaaaa","md5":"ABCDEF0123456789abcdef0123456789"}';
    const { text } = await rewrite(
      `{"meta":{"api-version":"1.0"},"name":"p","files":[{"filename":"a-1.zip","url":"a","hashes":${hashes}}]}`,
      json,
    );
    expect(JSON.parse(text).files[0].hashes).toEqual({ md5: "ABCDEF0123456789abcdef0123456789" });
  });

  test("is read whatever else is in it, in any order and spelling", async () => {
    const file = { filename: "ok-1.zip", url: "/ok", hashes: {} };
    const odd = `\n{ "deep" : ${"[".repeat(500_000)}"]}\\"" , {"\\\\":1}${"]".repeat(500_000)},\t"fil\\u0065s": [\r\n ${JSON.stringify(file)} ,null,1.5e3 , "}"],"name":"p\\"q" , "meta":{"api-version":"1.1","x":[{}]} }\n`;
    const { text, urls } = await rewrite(odd, json);
    expect([urls, JSON.parse(text)]).toMatchObject([
      ["https://index.example/ok"],
      { name: 'p"q', meta: { "api-version": "1.1" } },
    ]);
  });

  test.each([
    ["of another version", page([], { "api-version": "2.0" }), json],
    ["that is torn", page([]).slice(0, -3), json],
    ["that is torn inside", page([{}]).replace("{}", "{"), json],
    ["that goes on after its end", `${page([])}{}`, json],
    ["with its files twice", page([]).replace("{", '{"files":[],'), json],
    ["with a comma too many", page([1]).replace("[1]", "[1,]"), json],
    ["with a bracket of another kind", page([1]).replace("[1]", "[[1}]"), json],
    ["without a name", JSON.stringify({ meta: { "api-version": "1.0" }, files: [] }), json],
    ["without an end to a text", page([]).replace('"pkg"', '"pkg'), json],
    ["of another shape", "[1]", json],
    ["of another type", page([]), "application/json"],
    ["of no type", page([]), ""],
  ])("%s is refused", async (_, text, type) => {
    await expect(rewrite(text, type)).rejects.toThrow(NoPage);
  });
});

const small = { meta: { "api-version": "1.0" }, name: "p", files: [] };
const inJson = (more: string) => JSON.stringify(small).replace("[]", `[${more}]`);
const megabyte = 1024 * 1024;

const heavy: readonly (readonly [string, string, () => string])[] = [
  ["nested lists", json, () => inJson("[".repeat(12 * megabyte) + "]".repeat(12 * megabyte))],
  [
    "members",
    json,
    () => `{${Array.from({ length: 2_000_000 }, (_, at) => `"k${at}":0,`).join("")}${JSON.stringify(small).slice(1)}`,
  ],
  ["empty objects", json, () => inJson(`${"{},".repeat(8 * megabyte)}{}`)],
  ["escapes", json, () => JSON.stringify(small).replace("{", `{"x":"${'\\"'.repeat(12 * megabyte)}",`)],
  ["tags", "text/html", () => "<b>".repeat(8 * megabyte)],
  ["tags of hundreds of attributes", "text/html", () => `<p ${Array(900).fill("x").join(" ")}>`.repeat(15_000)],
  ["opening signs", "text/html", () => "<".repeat(24 * megabyte)],
  ["attributes", "text/html", () => `<a ${Array.from({ length: 3_000_000 }, (_, at) => at).join(" ")}>`],
  ["entities", "text/html", () => `<a href="x-1.zip" data-yanked="${"&amp;".repeat(5 * megabyte)}">`],
];

test.each(someOf(heavy, 5, ([, type]) => type))(
  "a page with megabytes of %s holds up nobody else for long",
  async (_, type, made) => {
    const text = made();
    await new Promise((resolve) => setTimeout(resolve, 20));
    let longest = 0;
    let last = performance.now();
    const look = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    };
    const ticking = setInterval(look, 5);
    await rewrite(text, type).catch((error) => expect(error).toBeInstanceOf(NoPage));
    clearInterval(ticking);
    look();
    expect(longest).toBeLessThan(1_000);
  },
);
