import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { connect } from "node:net";
import { Duplex, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { noProxies } from "../../../runner/egress/upstream-proxy.js";
import { OwnCa } from "../../helpers/own-ca.js";
import { listening, Upstream } from "../egress-stage.js";
import { IndexStage, type IndexStageOptions, pageOf, secureUpstream, serving } from "../index-stage.js";

const json = "application/vnd.pypi.simple.v1+json";
const wheel = "a-1.0-py3-none-any.whl";
const megabyte = Buffer.alloc(1024 * 1024, "x");

async function over(index: Upstream, more: Omit<IndexStageOptions, "indexes"> = {}): Promise<IndexStage> {
  return await IndexStage.open({ indexes: [`http://127.0.0.1:${index.port}/simple`], ...more });
}

/** An index with one page, which links to one file that the listener answers for. */
function oneFile(listener: RequestListener): Promise<Upstream> {
  const page = serving({ "/simple/pkg/": pageOf(`/${wheel}`) });
  return Upstream.http((asked, answer) => ((asked.url ?? "").startsWith("/simple/") ? page : listener)(asked, answer));
}

/** So many megabytes, made only as fast as somebody takes them. */
function* megabytes(count: number, made: { count: number }): Generator<Buffer> {
  for (made.count = 0; made.count < count; made.count += 1) yield megabyte;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The growth of the heap by bytes that are still held afterwards. */
async function heldBy(work: () => Promise<void>): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  await work();
  collect();
  return process.memoryUsage().heapUsed - before;
}

describe("a page", () => {
  test("comes in the form that was requested, once from the index and then from the gateway", async () => {
    const seen: unknown[] = [];
    await using index = await Upstream.http(({ url, headers }, answer) => {
      seen.push([url, headers.accept]);
      const type = headers.accept === json ? json : "text/html";
      const file = { filename: wheel, url: wheel, hashes: {} };
      const page = { meta: { "api-version": "1.0" }, name: "pkg", files: [file] };
      answer.setHeader("content-type", type);
      answer.setHeader("content-encoding", "gzip");
      answer.end(gzipSync(type === json ? JSON.stringify(page) : pageOf(wheel)));
    });
    await using stage = await over(index);
    expect(stage.gateway.paths).toEqual(["/0/"]);
    for (const accept of [json, "text/html", json]) {
      const { status, headers, body } = await stage.get("/0/pkg/", { accept });
      expect([status, headers["content-type"]]).toEqual([200, accept === json ? json : "text/html; charset=utf-8"]);
      expect(body.toString()).toMatch(/"\/f\/[01]\/a-1\.0-py3-none-any\.whl"/);
    }
    expect((await stage.get("/0/pkg/", { accept: json }, "HEAD")).headers["content-length"]).toMatch(/^\d+$/);
    expect(seen).toEqual([
      ["/simple/pkg/", json],
      ["/simple/pkg/", "text/html"],
    ]);
    expect([stage.records.length, stage.gateway.bytes]).toEqual([
      2,
      stage.records.reduce((sum, { bytes }) => sum + bytes, 0),
    ]);
  });

  test.each([
    [404, 404, null],
    [410, 404, null],
    [403, 403, /does not let the page of pkg be fetched \(403\)/],
    [500, 502, /answered 500 when it was asked for the page of pkg/],
    [204, 502, /answered 204/],
  ])("whose index answers %d is answered with %d", async (theirs, ours, said) => {
    await using index = await Upstream.http((_, answer) => void answer.writeHead(theirs).end());
    await using stage = await over(index);
    const { status, body } = await stage.get("/0/pkg/");
    expect(status).toBe(ours);
    if (said === null) expect(stage.gateway.trouble()).toBeNull();
    else
      expect([body.toString(), stage.gateway.trouble()]).toEqual([
        expect.stringMatching(said),
        expect.stringMatching(said),
      ]);
  });

  test("of an index that cannot be reached is answered with a sentence that names its host", async () => {
    const index = await Upstream.http(() => undefined);
    await index[Symbol.asyncDispose]();
    await using stage = await over(index);
    expect((await stage.get("/0/pkg/")).body.toString()).toMatch(/^127\.0\.0\.1:\d+ could not be reached: /);
    expect(stage.gateway.trouble()).toMatch(/could not be reached/);
    await using unknown = await IndexStage.open({ indexes: ["https://index.example/"], resolve: async () => [] });
    expect((await unknown.get("/0/pkg/")).body.toString()).toBe("the host index.example was not found\n");
  });

  test("goes through the person's proxy, and its links to private addresses lead nowhere", async () => {
    const page = pageOf(`/${wheel}`, `http://10.0.0.5:8080/${wheel}`);
    await using index = await Upstream.http(serving({ "/simple/pkg/": page, [`/${wheel}`]: "file" }));
    const asked: string[] = [];
    const company = createServer().on("connect", ({ url = "" }, client) => {
      asked.push(url);
      const upstream = connect(index.port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(upstream).pipe(client);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
    });
    await using proxy = new Upstream(await listening(company), "127.0.0.1");
    const proxies = { ...noProxies, https: `http://${proxy.at}` };
    await using stage = await IndexStage.open({ indexes: [`http://index.example:8080/simple/`], proxies });
    const [file = "", hidden = ""] = await stage.links();
    expect([(await stage.get(file)).body.toString(), (await stage.get(hidden)).status]).toEqual(["file", 403]);
    expect(asked).toEqual(["index.example:8080"]);
  });
});

describe("a file", () => {
  test("is passed on as it is: the part that was requested, its tag, its metadata", async () => {
    const seen: unknown[] = [];
    await using index = await oneFile((asked, answer) => {
      const { range, "if-range": ifRange, "accept-encoding": encoding } = asked.headers;
      seen.push([asked.method, asked.url, range, ifRange, encoding]);
      answer.writeHead(range === undefined ? 200 : 206, {
        etag: '"1"',
        "set-cookie": "a=b",
        "content-range": "bytes 1-2/4",
      });
      answer.end("le");
    });
    await using stage = await over(index);
    const [link = ""] = await stage.links();
    const part = await stage.get(link, { range: "bytes=1-2", "if-range": '"1"', "accept-encoding": "br" });
    expect([part.status, part.body.toString(), part.headers.etag]).toEqual([206, "le", '"1"']);
    expect([part.headers["content-range"], part.headers["set-cookie"]]).toEqual(["bytes 1-2/4", undefined]);
    expect((await stage.get(link, {}, "HEAD")).status).toBe(200);
    expect((await stage.get(`${link}.metadata`)).body.toString()).toBe("le");
    expect(seen).toEqual([
      ["GET", `/${wheel}`, "bytes=1-2", '"1"', "br"],
      ["HEAD", `/${wheel}`, undefined, undefined, "identity"],
      ["GET", `/${wheel}.metadata`, undefined, undefined, "identity"],
    ]);
  });

  test.each([
    ["of a number that was not given out", (link: string) => link.replace("/f/0/", "/f/1/")],
    ["under another name", (link: string) => link.replace("a-1", "b-1")],
    ["up the tree", (link: string) => `${link}/../../secret`],
    ["up the tree, encoded", (link: string) => `${link}%2f..%2fsecret`],
    ["with a query", (link: string) => `${link}?x=1`],
    ["of another kind", (link: string) => `${link}.metadata.metadata`],
    ["of no number", (link: string) => link.replace("/f/0/", "/f/-1/")],
    ["of a page up the tree", () => "/0/../"],
    ["of a page up the tree, encoded", () => "/0/%2e%2e/"],
    ["of a page below a page", () => "/0/pkg/secret/"],
    ["of another index", () => "/1/pkg/"],
    ["of the index itself", () => "/0/"],
    ["of a host", () => "//10.0.0.1/0/pkg/"],
    ["of a long name", () => `/0/${"x".repeat(300)}/`],
  ])("%s is not found, and nobody is asked for it", async (_, wanted) => {
    const seen: string[] = [];
    await using index = await Upstream.http(serving({ "/simple/pkg/": pageOf(`/${wheel}`), [`/${wheel}`]: "f" }, seen));
    await using stage = await over(index);
    const [link = ""] = await stage.links();
    expect([(await stage.get(wanted(link))).status, seen]).toEqual([404, ["/simple/pkg/ -"]]);
    expect([(await stage.get(link)).status, stage.gateway.trouble()]).toEqual([200, null]);
  });

  test("that breaks off breaks off here too, and does not count as a whole file", async () => {
    await using index = await oneFile((_, answer) => {
      answer.writeHead(200, { "content-length": 10 });
      answer.write("12345", () => answer.destroy());
    });
    await using stage = await over(index);
    await expect(stage.first()).rejects.toThrow();
    expect(stage.gateway.trouble()).toMatch(/broke off/);
  });
});

test("a reader that leaves in the middle causes no error, and its file is fetched no further", async () => {
  const made = { count: 0 };
  await using index = await oneFile((_, answer) => void Readable.from(megabytes(1_000, made)).pipe(answer));
  await using stage = await over(index);
  const [link] = await stage.links();
  const socket = connect({ port: stage.port, host: "127.0.0.1" });
  socket.on("error", () => undefined).write(`GET ${link} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(socket, "data");
  socket.destroy();
  await expect.poll(() => stage.records.length).toBe(2);
  expect([stage.gateway.trouble(), made.count < 500]).toEqual([null, true]);
  expect((await stage.get("/0/pkg/")).status).toBe(200);
});

describe("another attempt", () => {
  const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
    let asked = 0;
    return (_: IncomingMessage, answer: Parameters<RequestListener>[1]) => {
      asked += 1;
      if (asked <= times) answer.writeHead(status, headers).end();
      else answer.end("file");
    };
  };

  test.each([
    ["after one failure", failing(1, 503), 200],
    ["but no third one", failing(2, 502), 502],
    ["after the time that was asked for", failing(1, 429, { "retry-after": "1" }), 200],
    ["but not after a longer time than anybody waits", failing(1, 503, { "retry-after": "11" }), 502],
    ["but not where it would fail again", failing(1, 500), 502],
  ])("is made %s", async (_, listener, status) => {
    await using index = await oneFile(listener);
    await using stage = await over(index);
    expect((await stage.first()).status).toBe(status);
  });

  test("is made after a connection that broke", async () => {
    let asked = 0;
    await using index = await oneFile(({ socket }, answer) => {
      asked += 1;
      if (asked === 1) socket.destroy();
      else answer.end("file");
    });
    await using stage = await over(index);
    expect([(await stage.first()).body.toString(), asked]).toEqual(["file", 2]);
  });

  test.each(["http", "https"])(
    "goes over a new connection when the last one over %s was closed while it waited",
    async (how) => {
      const page = pageOf(`/${wheel}`);
      const answers: RequestListener = ({ socket, url }, answer) => {
        answer.once("close", () => socket.destroy());
        const body = url === "/simple/pkg/" ? page : "file";
        answer.writeHead(200, { "content-type": "text/html", "content-length": body.length, connection: "keep-alive" });
        answer.end(body);
      };
      const ca = new OwnCa();
      const index = how === "http" ? Upstream.http(answers) : secureUpstream(ca.for("localhost"), answers);
      await using upstream = await index;
      const names: string[] = [];
      const resolve = async (name: string) => {
        names.push(name);
        return ["127.0.0.1"];
      };
      const options = { resolve, ca: ca.pem, limits: { idleMs: 60_000 } };
      await using stage = await IndexStage.open({
        indexes: [`${how}://localhost:${upstream.port}/simple`],
        ...options,
      });
      const [link = ""] = await stage.links();
      await sleep(100);
      expect((await stage.get(link)).body.toString()).toBe("file");
      // two connections, and the name was resolved once
      expect([upstream.connections, names]).toEqual([2, ["localhost"]]);
    },
  );
});

describe("a request that the gateway does not take", () => {
  const host = "Host: x\r\n";
  test.each([
    ["an absolute address", `GET http://127.0.0.1/0/pkg/ HTTP/1.1\r\n${host}\r\n`],
    ["a tunnel", `CONNECT 127.0.0.1:80 HTTP/1.1\r\n${host}\r\n`],
    ["an upload", `POST /0/pkg/ HTTP/1.1\r\n${host}Content-Length: 1\r\n\r\nx`],
    ["a body", `GET /0/pkg/ HTTP/1.1\r\n${host}Content-Length: 1\r\n\r\nx`],
    ["a body in pieces", `GET /0/pkg/ HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["two lengths", `GET /0/pkg/ HTTP/1.1\r\n${host}Content-Length: 0\r\nContent-Length: 30\r\n\r\n`],
    [
      "a length and pieces",
      `GET /0/pkg/ HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["an older version", `GET /0/pkg/ HTTP/1.0\r\n${host}\r\n`],
    ["another protocol", `GET /0/pkg/ HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ["everything", `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
    ["no host", "GET /0/pkg/ HTTP/1.1\r\n\r\n"],
    ["a long head", `GET /0/pkg/ HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`],
    ["nonsense", "nonsense\r\n\r\n"],
  ])("is answered with 400, and nobody is asked: %s", async (_, bytes) => {
    await using index = await Upstream.http(serving({ "/simple/pkg/": pageOf() }));
    await using stage = await over(index);
    expect(await stage.raw(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect([index.connections, (await stage.get("/0/pkg/")).status]).toEqual([0, 200]);
  });

  test("that comes ahead of the answer to the one before it ends the connection", async () => {
    await using index = await Upstream.http(serving({ "/simple/pkg/": pageOf() }));
    await using stage = await over(index);
    const one = `GET /0/pkg/ HTTP/1.1\r\n${host}\r\n`;
    expect(await stage.raw(one.repeat(2_000)).catch(() => "")).not.toMatch(/200 OK[\s\S]*200 OK/);
    expect(index.connections).toBeLessThanOrEqual(1);
    const agentless = await stage.get("/0/pkg/");
    expect(agentless.status).toBe(200);
  });
});

describe("a bound", () => {
  test("on a file applies to a length that is only announced", async () => {
    const sent = { count: 0 };
    await using index = await oneFile((_, answer) => {
      answer.writeHead(200, { "content-length": 5 * 1024 ** 3 });
      Readable.from(megabytes(5 * 1024, sent)).pipe(answer);
    });
    await using stage = await over(index);
    const { status, body } = await stage.first();
    expect([status, body.toString()]).toEqual([
      502,
      `${wheel} of 127.0.0.1:${index.port} is not taken: it is 5 GB, and 2 GB is the most that is taken\n`,
    ]);
    expect(sent.count).toBeLessThan(64);
    expect(stage.gateway.trouble()).toMatch(/is 5 GB/);
  });

  test("on a file cuts one that does not say how long it is", async () => {
    await using index = await oneFile((_, answer) => void Readable.from(megabytes(100, { count: 0 })).pipe(answer));
    await using stage = await over(index, { limits: { fileBytes: 3_000_000 } });
    await expect(stage.first()).rejects.toThrow();
    expect(stage.gateway.bytes).toBeLessThan(5_000_000);
    await using honest = await over(index, { limits: { fileBytes: 200_000_000 } });
    expect((await honest.first()).body).toHaveLength(100 * 1024 * 1024);
  });

  test("on all that is fetched applies to many small files", async () => {
    await using index = await oneFile((_, answer) => void answer.end(megabyte));
    await using stage = await over(index, { limits: { totalBytes: 3_500_000 } });
    const [link = ""] = await stage.links();
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await stage.get(link)).status);
    expect(statuses).toEqual([200, 200, 200, 502, 502]);
    expect(stage.gateway.trouble()).toMatch(/more than 3\.3 MB would have been fetched/);
  });

  test.each<[string, RequestListener]>([
    ["endless", (_, answer) => void Readable.from(megabytes(10_000, { count: 0 })).pipe(answer)],
    ["said to be long", (_, answer) => void answer.writeHead(200, { "content-length": 10 ** 10 }).write("<a>")],
    [
      "small, and endless when unpacked",
      (_, answer) => void answer.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50_000_000))),
    ],
    [
      "packed in no way that was asked for",
      (_, answer) => void answer.writeHead(200, { "content-encoding": "br" }).end("x"),
    ],
    [
      "of very many files",
      (_, answer) =>
        void answer.writeHead(200, { "content-type": "text/html" }).end('<a href="a-1.zip">'.repeat(2_000)),
    ],
  ])("applies to a page that is %s", async (_, listener) => {
    await using index = await Upstream.http((asked, answer) =>
      (asked.url === "/simple/pkg/" ? listener : serving({ "/simple/other/": pageOf() }))(asked, answer),
    );
    await using stage = await over(index, { limits: { pageBytes: 10_000_000, pageFiles: 1_000 } });
    const { status, body } = await stage.get("/0/pkg/");
    expect([status, body.toString()]).toEqual([502, `${stage.gateway.trouble()}\n`]);
    expect(stage.gateway.bytes).toBeLessThan(12_000_000);
    expect((await stage.get("/0/other/")).status).toBe(200);
  });

  test("on all pages together applies, because they are kept", async () => {
    await using index = await Upstream.http((_, answer) => {
      answer.writeHead(200, { "content-type": "text/html" }).end(" ".repeat(1_000_000));
    });
    await using stage = await over(index, { limits: { pagesBytes: 2_500_000 } });
    const statuses = [];
    for (const name of ["a", "b", "c", "a"]) statuses.push((await stage.get(`/0/${name}/`)).status);
    expect(statuses).toEqual([200, 200, 502, 200]);
  });

  test("on what all pages link to applies, because it is remembered", async () => {
    await using index = await Upstream.http((_, answer) => {
      answer.writeHead(200, { "content-type": "text/html" }).end('<a href="a-1.zip">'.repeat(40));
    });
    await using stage = await over(index, { limits: { allFiles: 100 } });
    const statuses = [];
    for (const name of ["a", "b", "c", "a"]) statuses.push((await stage.get(`/0/${name}/`)).status);
    expect([statuses, stage.gateway.trouble()]).toEqual([
      [200, 200, 502, 200],
      expect.stringMatching(/more than 100 /),
    ]);
  });

  test("on what its links begin with keeps a page of kilobytes from becoming one of gigabytes", async () => {
    const links = Array.from({ length: 30_000 }, (_, at) => `<a href="a-${at}.whl">`).join("");
    const page = (length: number) => `<base href="http://127.0.0.1/${"x".repeat(length)}/">${links}`;
    await using index = await Upstream.http((asked, answer) => {
      answer.writeHead(200, { "content-type": "text/html" }).end(page(asked.url?.includes("long") ? 60_000 : 4_000));
    });
    await using stage = await over(index);
    const naive: string[] = [];
    const resolved = await heldBy(async () => {
      const { base } = /"(?<base>.*?)"/.exec(page(4_000))?.groups ?? {};
      for (let at = 0; at < 30_000; at += 1) naive.push(new URL(`a-${at}.whl`, base).href);
    });
    let statuses: number[] = [];
    const kept = await heldBy(async () => {
      statuses = [(await stage.get("/0/fair/")).status, (await stage.get("/0/long/")).status];
    });
    expect([naive.length, resolved > 100e6, kept < 40e6]).toEqual([30_000, true, true]);
    expect([statuses, stage.gateway.trouble()]).toEqual([
      [200, 502],
      expect.stringMatching(/its links begin at an address of more than 4096 characters/),
    ]);
  });

  test("on all pages together counts what they are rewritten to", async () => {
    const anchors = `<a href="a-1.whl" data-yanked='${'"'.repeat(190)}'>`.repeat(1_000);
    await using index = await Upstream.http((_, answer) => {
      answer.writeHead(200, { "content-type": "text/html" }).end(anchors);
    });
    await using stage = await over(index, { limits: { pagesBytes: 8 * anchors.length } });
    const { status, body } = await stage.get("/0/a/");
    expect([status, body.length > 4 * anchors.length]).toEqual([200, true]);
    expect((await stage.get("/0/b/")).status).toBe(502);
  });

  test("applies to what is kept for a reader that does not read, and to how long it is kept", async () => {
    const made = { count: 0 };
    await using index = await oneFile((_, answer) => void Readable.from(megabytes(200, made)).pipe(answer));
    await using stage = await over(index, { limits: { idleMs: 1_500 } });
    const [link] = await stage.links();
    const socket = connect({ port: stage.port, host: "127.0.0.1" }).pause();
    socket.on("error", () => undefined).write(`GET ${link} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await sleep(1_000);
    expect(made.count).toBeLessThan(40);
    const held = made.count;
    await sleep(300);
    expect([made.count, stage.records.length]).toEqual([held, 1]);
    await expect.poll(() => stage.records.length, { timeout: 10_000 }).toBe(2);
    socket.destroy();
    // a client that buffers holds all of it
    const naive = await stage.first();
    expect([naive.body.length, made.count]).toEqual([200 * 1024 * 1024, 200]);
  });

  test("on connections closes those beyond it, and 10,000 in a row do no harm", async () => {
    await using index = await Upstream.http(serving({ "/simple/pkg/": pageOf() }));
    await using stage = await over(index, { limits: { connections: 50 } });
    const clients: Duplex[] = [];
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 10_000; n += 1) {
      const client = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
      client.push("GET /0/pkg/ HTTP/1.1\r\nHost: x\r\n");
      stage.gateway.accept(client);
      expect(client.destroyed).toBe(n >= 50);
      clients.push(client);
    }
    expect(await stage.get("/0/pkg/").catch(() => "closed")).toBe("closed");
    for (const client of clients) client.destroy();
    await expect.poll(async () => (await stage.get("/0/pkg/").catch(() => null))?.status, { timeout: 5_000 }).toBe(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    expect(index.connections).toBe(1);
  });

  test("on simultaneous requests lets the next ones wait", async () => {
    let [open, most] = [0, 0];
    await using index = await Upstream.http((_, answer) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        answer.writeHead(200, { "content-type": "text/html" }).end();
      }, 20);
    });
    await using stage = await over(index, { limits: { atOnce: 4 } });
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => stage.get(`/0/p${n}/`)));
    expect([new Set(all.map(({ status }) => status)), most]).toEqual([new Set([200]), 4]);
  });

  test("on time ends a connection that asks for nothing, and an index that says nothing", async () => {
    await using index = await Upstream.http(() => undefined);
    await using stage = await over(index, { limits: { idleMs: 300 } });
    expect(await stage.raw("")).toBe("");
    expect(await stage.raw("GET /0/pkg/ HTTP/1.1\r\n")).toBe("");
    expect((await stage.get("/0/pkg/")).body.toString()).toMatch(/nothing came for 0\.3 seconds/);
  });
});

test("what is under way when the gateway ends is ended on both sides, and nothing is accepted after it", async () => {
  const left: Promise<unknown>[] = [];
  await using index = await oneFile((_, answer) => {
    left.push(new Promise((done) => answer.once("close", done)));
    answer.write("x");
  });
  const stage = await over(index);
  const [link] = await stage.links();
  const answered = stage.raw(`GET ${link} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(() => left.length).toBe(1);
  await stage.gateway[Symbol.asyncDispose]();
  await Promise.all(left);
  expect(await answered.catch(() => "cut")).toBeDefined();
  expect(await stage.raw("GET /0/pkg/ HTTP/1.1\r\nHost: x\r\n\r\n").catch(() => "")).toBe("");
  expect(stage.gateway.trouble()).toBeNull();
  await stage[Symbol.asyncDispose]();
});
