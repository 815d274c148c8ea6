import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Destination } from "../../runner/egress/destination.js";
import { OwnCa } from "../helpers/own-ca.js";
import { Upstream } from "./egress-stage.js";
import { IndexStage, pageOf, redirecting, secureUpstream, serving } from "./index-stage.js";

/** Every address leads to this machine; the hosts that were asked for are written down. */
const reached = vi.hoisted((): string[] => []);
vi.mock("../../runner/egress/connected.js", async (original) => {
  const real = await original<typeof import("../../runner/egress/connected.js")>();
  const connected = ({ host, port }: Destination, signal: AbortSignal) => {
    reached.push(host);
    return real.connected({ host: "127.0.0.1", port }, signal);
  };
  return { connected };
});

afterEach(() => void reached.splice(0));

const publicAddress = "203.0.113.7";
const names: Readonly<Record<string, readonly string[]>> = {
  "index.example": ["10.0.0.9"],
  "files.example": [publicAddress],
  "other.example": ["203.0.113.8"],
  "inside.example": ["10.1.2.3"],
  "mixed.example": ["10.1.2.3", publicAddress],
  localhost: ["127.0.0.1", "::1"],
};
const resolve = async (name: string) => names[name] ?? [];
const secret = "of the private network";
const authorization = `Basic ${Buffer.from("ada:s3cret/pw").toString("base64")}`;

/** Follows every redirect, as a plain HTTP client does. */
async function naively(url: string, headers: Record<string, string> = {}): Promise<string> {
  const { port, pathname } = new URL(url);
  const response = await new Promise<IncomingMessage>((done, failed) => {
    get({ host: "127.0.0.1", port, path: pathname, headers }, done).on("error", failed);
  });
  const { location } = response.headers;
  return location === undefined ? await text(response) : await naively(new URL(location, url).href, headers);
}

const hidden: readonly (readonly [string, string])[] = [
  ["loopback", "127.0.0.1"],
  ["an address of a private network", "10.0.0.5"],
  ["an address in one number", "2130706433"],
  ["the address of a cloud's metadata", "169.254.169.254"],
  ["loopback of the newer kind", "[::1]"],
  ["an older address in a newer one", "[::ffff:10.0.0.1]"],
  ["a name for loopback", "localhost"],
  ["a name for a private address", "inside.example"],
  ["another port of the index's own host", "index.example"],
];

describe.each(["a link", "a redirect"] as const)("%s", (way) => {
  /** A page whose files are on other hosts, linked directly or reached by a redirect. */
  async function leadingTo(...targets: readonly string[]) {
    const paths = targets.map((_, n) => `/${n}/a-1.zip`);
    const page = pageOf(...(way === "a link" ? targets : paths));
    return await Upstream.http((asked, answer) => {
      const to = targets[paths.indexOf(asked.url ?? "")];
      if (to === undefined) serving({ "/pkg/": page })(asked, answer);
      else redirecting(() => to)(asked, answer);
    });
  }

  test.each(hidden)("to %s (%s) is not followed, and one to a public host is", async (_, host) => {
    await using target = await Upstream.http((_, answer) => void answer.end(secret));
    const [bad, good] = [`http://${host}:${target.port}/a-1.zip`, `http://files.example:${target.port}/a-1.zip`];
    await using index = await leadingTo(bad, good);
    expect(await naively(way === "a link" ? bad : `http://index.example:${index.port}/0/a-1.zip`)).toBe(secret);
    const before = target.connections;
    await using stage = await IndexStage.open({ indexes: [`http://index.example:${index.port}/`], resolve });
    const [first = "", second = ""] = await stage.links();
    const refused = await stage.get(first);
    expect([refused.status, target.connections]).toEqual([403, before]);
    expect(refused.body.toString()).toMatch(/private network, and no configured index\n$/);
    expect(stage.gateway.trouble()).toBe(refused.body.toString().trim());
    expect(new Set(reached)).toEqual(new Set(["10.0.0.9"]));
    const fetched = await stage.get(second);
    expect([fetched.status, fetched.body.toString(), reached.at(-1)]).toEqual([200, secret, publicAddress]);
  });

  test("to a host that has private addresses among public ones is followed to a public one", async () => {
    await using target = await Upstream.http((_, answer) => void answer.end("file"));
    await using index = await leadingTo(`http://mixed.example:${target.port}/a-1.zip`);
    await using stage = await IndexStage.open({ indexes: [`http://index.example:${index.port}/`], resolve });
    expect([(await stage.first()).status, reached.includes("10.1.2.3"), reached.at(-1)]).toEqual([
      200,
      false,
      publicAddress,
    ]);
  });

  test("to a name that gets another address the second time leads to the one that was judged", async () => {
    await using target = await Upstream.http((_, answer) => void answer.end("file"));
    await using index = await leadingTo(`http://files.example:${target.port}/a-1.zip`);
    const asked: string[] = [];
    const turning = async (name: string) => {
      if (name !== "files.example") return await resolve(name);
      asked.push(name);
      return asked.length % 2 === 1 ? [publicAddress] : ["127.0.0.1"];
    };
    const naive = [await turning("files.example"), await turning("files.example")];
    expect(naive).toEqual([[publicAddress], ["127.0.0.1"]]);
    await using stage = await IndexStage.open({ indexes: [`http://index.example:${index.port}/`], resolve: turning });
    expect([(await stage.first()).status, asked.length, reached.at(-1)]).toEqual([200, 3, publicAddress]);
    expect(reached).not.toContain("127.0.0.1");
  });

  test("to another configured index is followed, even into a private network", async () => {
    await using second = await Upstream.http((_, answer) => void answer.end("file"));
    await using index = await leadingTo(`http://inside.example:${second.port}/a-1.zip`);
    const indexes = [`http://index.example:${index.port}/`, `http://inside.example:${second.port}/`];
    await using stage = await IndexStage.open({ indexes, resolve });
    expect([(await stage.first()).status, reached.at(-1)]).toEqual([200, "10.1.2.3"]);
  });
});

describe("redirects", () => {
  test("are followed five times, and a page's links begin at the last address", async () => {
    const pages: Record<string, string> = { "/e/": pageOf("../e/a-1.zip"), "/e/a-1.zip": "file" };
    const steps = ["/pkg/", "/a/", "/b/", "/c/", "/d/", "/e/"];
    await using index = await Upstream.http((asked, answer) => {
      const next = steps[steps.indexOf(asked.url ?? "") + 1];
      if (next === undefined || !steps.includes(asked.url ?? "")) serving(pages)(asked, answer);
      else redirecting(() => next)(asked, answer);
    });
    await using stage = await IndexStage.open({ indexes: [`http://127.0.0.1:${index.port}/`] });
    expect((await stage.first()).body.toString()).toBe("file");
  });

  test.each([
    ["in a circle", () => "/pkg/", /redirects more than 5 times/],
    ["to what is no address", () => "http://[", /redirects to what is no address/],
    ["to a file", () => "file:///etc/passwd", /is no web server/],
  ])("%s end with a sentence", async (_, to, said) => {
    await using index = await Upstream.http(redirecting(to));
    await using stage = await IndexStage.open({ indexes: [`http://127.0.0.1:${index.port}/`] });
    expect((await stage.get("/0/pkg/")).body.toString()).toMatch(said);
  });
});

describe("a user and a password", () => {
  test("are sent to the index itself, and to nobody that it leads to", async () => {
    const seen: string[] = [];
    const pages = { "/pkg/": pageOf(), "/own/b-1.zip": "own" };
    await using elsewhere = await Upstream.http(serving({ "/a-1.zip": "file", "/c-1.zip": "file" }, seen));
    const away = `http://files.example:${elsewhere.port}`;
    pages["/pkg/"] = pageOf(`${away}/a-1.zip`, "/own/b-1.zip", "/away/c-1.zip");
    await using index = await Upstream.http((asked, answer) => {
      if (asked.url !== "/away/c-1.zip") serving(pages, seen)(asked, answer);
      else redirecting(() => `${away}/c-1.zip`)(asked, answer);
    });
    const naive = await naively(`http://index.example:${index.port}/away/c-1.zip`, { authorization });
    expect([naive, seen.splice(0)]).toEqual(["file", [`/c-1.zip ${authorization}`]]);
    const indexes = [`http://ada:s3cret%2Fpw@index.example:${index.port}/`];
    await using stage = await IndexStage.open({ indexes, resolve });
    for (const link of await stage.links()) expect((await stage.get(link)).status).toBe(200);
    expect(seen).toEqual([`/pkg/ ${authorization}`, "/a-1.zip -", `/own/b-1.zip ${authorization}`, "/c-1.zip -"]);
  });

  test("belong to one index, and are not sent for its files when another index links to them", async () => {
    const seen: string[] = [];
    await using second = await Upstream.http(serving({ "/a-1.zip": "file", "/pkg/": pageOf("/a-1.zip") }, seen));
    const link = `http://x:y@127.0.0.1:${second.port}/a-1.zip`;
    await using first = await Upstream.http(serving({ "/pkg/": pageOf(link) }));
    const indexes = [`http://127.0.0.1:${first.port}/`, `http://ada:s3cret%2Fpw@127.0.0.1:${second.port}/`];
    await using stage = await IndexStage.open({ indexes });
    expect([(await stage.first()).status, (await stage.first("/1/pkg/")).status]).toEqual([200, 200]);
    expect(seen).toEqual(["/a-1.zip -", `/pkg/ ${authorization}`, `/a-1.zip ${authorization}`]);
  });

  test("that the index does not take lead to a refusal that does not show them", async () => {
    await using index = await Upstream.http((_, answer) => void answer.writeHead(401).end("s3cret"));
    await using stage = await IndexStage.open({ indexes: [`http://ada:s3cret%2Fpw@127.0.0.1:${index.port}/`] });
    const { status, body } = await stage.get("/0/pkg/");
    expect([status, body.toString()]).toEqual([403, expect.stringContaining(`127.0.0.1:${index.port} asks who wants`)]);
    expect(JSON.stringify([stage.gateway.trouble(), stage.records, body.toString()])).not.toMatch(/s3cret|ada/);
  });

  test("that the container sends are passed on to nobody", async () => {
    const seen: string[] = [];
    await using index = await Upstream.http(serving({ "/pkg/": pageOf("/a-1.zip"), "/a-1.zip": "" }, seen));
    await using stage = await IndexStage.open({ indexes: [`http://127.0.0.1:${index.port}/`] });
    const [link = ""] = await stage.links();
    await stage.get(link, { authorization, cookie: "a=b", "x-forwarded-for": "1.2.3.4", host: "inside.example" });
    expect(seen).toEqual(["/pkg/ -", "/a-1.zip -"]);
  });
});

describe("an index over HTTPS", () => {
  const ca = new OwnCa();

  test("is trusted when the person's own authority signed its certificate, and not otherwise", async () => {
    const listener = serving({ "/pkg/": pageOf("/a-1.zip"), "/a-1.zip": "file" });
    await using index = await secureUpstream(ca.for("index.example"), listener);
    const indexes = [`https://index.example:${index.port}/`];
    await using stage = await IndexStage.open({ indexes, resolve, ca: ca.pem });
    expect((await stage.first()).body.toString()).toBe("file");
    await using another = await IndexStage.open({ indexes, resolve, ca: new OwnCa("another").pem });
    await using none = await IndexStage.open({ indexes, resolve });
    for (const { gateway, said } of [
      { gateway: another.gateway, said: await another.get("/0/pkg/") },
      { gateway: none.gateway, said: await none.get("/0/pkg/") },
    ]) {
      expect(said.body.toString()).toMatch(/^the certificate of index\.example:\d+ is not trusted: .*SSL_CERT_FILE/);
      expect([said.status, gateway.trouble()]).toEqual([502, said.body.toString().trim()]);
    }
  });

  test("must have a certificate for its own name", async () => {
    await using index = await secureUpstream(ca.for("other.example"), serving({ "/pkg/": pageOf() }));
    const indexes = [`https://index.example:${index.port}/`];
    await using stage = await IndexStage.open({ indexes, resolve, ca: ca.pem });
    expect((await stage.get("/0/pkg/")).body.toString()).toMatch(/is not trusted: .*other\.example/);
    const honest = await IndexStage.open({ indexes: [`https://other.example:${index.port}/`], resolve, ca: ca.pem });
    expect((await honest.get("/0/pkg/")).status).toBe(200);
    await honest[Symbol.asyncDispose]();
  });

  test.each(["a link", "a redirect"])(
    "leads by %s to plain HTTP only where an index is asked that way",
    async (way) => {
      await using plain = await Upstream.http((_, answer) => void answer.end("file"));
      const to = `http://files.example:${plain.port}/a-1.zip`;
      await using index = await secureUpstream(ca.for("index.example"), (asked, answer) =>
        asked.url === "/pkg/"
          ? serving({ "/pkg/": pageOf(way === "a link" ? to : "/a-1.zip") })(asked, answer)
          : redirecting(() => to)(asked, answer),
      );
      const own = `https://index.example:${index.port}/`;
      expect(await naively(to)).toBe("file");
      await using stage = await IndexStage.open({ indexes: [own], resolve, ca: ca.pem });
      const refused = await stage.first();
      expect([refused.status, refused.body.toString()]).toEqual([403, expect.stringContaining("over plain HTTP")]);
      const indexes = [own, `http://files.example:${plain.port}/simple/`];
      await using honest = await IndexStage.open({ indexes, resolve, ca: ca.pem });
      expect((await honest.first()).body.toString()).toBe("file");
    },
  );

  test("is asked over one connection as long as it is kept open", async () => {
    const pages = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`/p${n}/`, pageOf(`/a-${n}.zip`)]));
    await using index = await secureUpstream(ca.for("index.example"), serving(pages));
    const indexes = [`https://index.example:${index.port}/`];
    await using stage = await IndexStage.open({ indexes, resolve, ca: ca.pem });
    for (let n = 0; n < 30; n += 1) expect((await stage.get(`/0/p${n}/`)).status).toBe(200);
    expect(index.connections).toBe(1);
  });
});
