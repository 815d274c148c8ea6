import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { soon } from "../helpers/soon.js";
import { EgressStage, Upstream } from "./egress-stage.js";

/** A server that sends back everything it gets. */
const echo = () => Upstream.tcp((socket) => void socket.pipe(socket));

describe("a tunnel", () => {
  test("to an allowed address and port carries bytes both ways, and is reported with how many", async () => {
    await using upstream = await echo();
    await using stage = await EgressStage.open({ allow: [upstream.at] });
    const { head, socket } = await stage.tunnel(upstream.at);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    socket.end("hello");
    expect(await text(socket)).toBe("hello");
    await soon(() => stage.records).toMatchObject([
      { host: "127.0.0.1", port: upstream.port, refusal: null, bytesOut: 5, bytesIn: 5 },
    ]);
  });

  test("owns the bytes that come in one packet with its request", async () => {
    await using upstream = await echo();
    await using stage = await EgressStage.open({ allow: [upstream.at] });
    const smuggled = "CONNECT 10.0.0.1:80 HTTP/1.1\r\n\r\n";
    const { head, socket } = await stage.tunnel(upstream.at, smuggled);
    socket.end();
    expect(head + (await text(socket))).toBe(`HTTP/1.1 200 Connection established\r\n\r\n${smuggled}`);
    await soon(() => stage.records).toHaveLength(1);
  });

  test.each([
    ["another port", (at: string) => `127.0.0.1:${Number(at.split(":")[1]) - 1}`, "not_allowed"],
    ["another address", () => "127.0.0.2:80", "not_allowed"],
    ["the address of a cloud's metadata", () => "169.254.169.254:80", "not_allowed"],
    ["loopback in the newer form", (at: string) => `[::1]:${at.split(":")[1]}`, "not_allowed"],
    ["a name that was not named", () => "elsewhere.example:443", "not_allowed"],
  ] as const)("to %s is refused, and no connection is made", async (_, wanted, refusal) => {
    await using upstream = await echo();
    await using stage = await EgressStage.open({ allow: [upstream.at] });
    const answer = await stage.raw(`CONNECT ${wanted(upstream.at)} HTTP/1.1\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 \S+ is not allowed; a person can allow it with --allow-host \S+\r\n/);
    expect([stage.records.map((record) => record.refusal), upstream.connections]).toEqual([[refusal], 0]);
  });
});

describe("a name", () => {
  test.each([
    ["a private address", ["10.0.0.5"]],
    ["loopback", ["127.0.0.1"]],
    ["loopback in the newer form", ["::1"]],
    ["an older address in a newer one", ["::ffff:127.0.0.1"]],
    ["a link's own address", ["169.254.1.1", "fe80::1"]],
    ["a private address of the newer kind", ["fd00::1"]],
    ["a translated private address", ["64:ff9b::a00:1"]],
    ["the unspecified address", ["0.0.0.0", "::"]],
  ])("that leads to %s is not followed", async (_, addresses) => {
    await using upstream = await echo();
    await using stage = await EgressStage.open({
      allow: [`one.example:${upstream.port}`],
      resolve: async () => addresses,
    });
    const answer = await stage.raw(`CONNECT one.example:${upstream.port} HTTP/1.1\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 one\.example:\d+ leads to \S+, an address of a private network\r\n/);
    expect([stage.records[0]?.refusal, upstream.connections]).toEqual(["private_address", 0]);
  });

  test("is resolved once, and the address that was judged is the one that is connected to", async () => {
    await using upstream = await echo();
    const asked: string[] = [];
    const answers = [["127.0.0.1"], ["10.9.9.9"]];
    const resolve = async (name: string) => {
      asked.push(name);
      return answers[asked.length - 1] ?? [];
    };
    const allow = [`one.example:${upstream.port}`, upstream.at];
    await using stage = await EgressStage.open({ allow, resolve });
    const { head, socket } = await stage.tunnel(`ONE.example.:${upstream.port}`);
    socket.end();
    expect([head.split(" ")[1], asked]).toEqual(["200", ["one.example"]]);
    expect(await stage.raw(`CONNECT one.example:${upstream.port} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("with two addresses is reached at the one that is allowed", async () => {
    await using upstream = await echo();
    const allow = [`one.example:${upstream.port}`, upstream.at];
    await using stage = await EgressStage.open({ allow, resolve: async () => ["10.0.0.1", "127.0.0.1"] });
    const { head, socket } = await stage.tunnel(`one.example:${upstream.port}`);
    socket.end();
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("is given up when its lookup never ends", async () => {
    await using stage = await EgressStage.open({ allow: ["one.example"], resolve: () => new Promise(() => undefined) });
    expect(await stage.raw("CONNECT one.example:443 HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 502 the host one/);
  });

  test("that nobody knows is reported as unknown", async () => {
    await using stage = await EgressStage.open({
      allow: ["one.example"],
      resolve: async () => Promise.reject(new Error("ENOTFOUND")),
    });
    expect(await stage.raw("CONNECT one.example:443 HTTP/1.1\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 502 the host one\.example was not found\r\n/,
    );
  });
});

describe("a plain request", () => {
  test("is written anew for the host that was judged, whatever else it names", async () => {
    const seen: unknown[] = [];
    await using upstream = await Upstream.http((asked, answer) => {
      seen.push([asked.method, asked.url, asked.headers]);
      answer.setHeader("x-answer", "1");
      asked.resume().on("end", () => answer.end("page"));
    });
    await using stage = await EgressStage.open({ allow: [upstream.at] });
    const answer = await stage.raw(
      `POST http://${upstream.at}/a?b=c HTTP/1.1\r\nHost: inside.example\r\nProxy-Authorization: Basic eA==\r\n` +
        "Connection: close, X-Hop\r\nX-Hop: 1\r\nX-Kept: 2\r\nContent-Length: 3\r\n\r\nabc",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*x-answer: 1\r\n[\s\S]*page/);
    expect(seen).toEqual([
      ["POST", "/a?b=c", expect.objectContaining({ host: upstream.at, "x-kept": "2", "content-length": "3" })],
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/x-hop|proxy-auth|inside\.example/i);
  });

  test("is judged by itself when it follows on the same connection", async () => {
    await using upstream = await Upstream.http((_, answer) => void answer.end("page"));
    await using stage = await EgressStage.open({ allow: [upstream.at] });
    const request = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${upstream.at}\r\n\r\n`;
    const answer = await stage.raw(request(upstream.at) + request("10.0.0.1"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 403 10\.0\.0\.1:80 is not allowed/);
    expect(upstream.connections).toBe(1);
  });

  test.each([
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET https://one.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://one.example:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT one.example HTTP/1.1\r\n\r\n",
    "CONNECT 2130706433:80 HTTP/1.1\r\n\r\n",
    "CONNECT [fe80::1%25eth0]:80 HTTP/1.1\r\n\r\n",
    "CONNECT one.example:443:80 HTTP/1.1\r\n\r\n",
    "nonsense\r\n\r\n",
    "GET http://one.example/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
  ])("is answered with 400 when it is malformed: %j", async (bytes) => {
    await using stage = await EgressStage.open({ allow: ["one.example"] });
    expect(await stage.raw(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect(stage.records).toEqual([]);
  });
});

test("a tunnel that is open when the proxy ends is closed, and reported before that", async () => {
  await using upstream = await echo();
  const stage = await EgressStage.open({ allow: [upstream.at] });
  const { socket } = await stage.tunnel(upstream.at);
  await stage[Symbol.asyncDispose]();
  expect(stage.records).toHaveLength(1);
  expect(await text(socket)).toBe("");
});

describe("a bound", () => {
  test("on connections at a time applies to requests in one stream too", async () => {
    await using upstream = await Upstream.http(() => undefined);
    await using stage = await EgressStage.open({ allow: [upstream.at], limits: { atOnce: 10, idleMs: 3_000 } });
    const one = `GET http://${upstream.at}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
    await stage.raw(one.repeat(200)).catch(() => "");
    await soon(() => stage.records.filter(({ refusal }) => refusal === "too_many").length).toBe(190);
    expect(upstream.connections).toBe(10);
  });

  test("on bytes ends the connection that exceeds it", async () => {
    await using upstream = await Upstream.tcp(
      (socket) => void socket.on("error", () => {}).write(Buffer.alloc(500_000)),
    );
    await using stage = await EgressStage.open({ allow: [upstream.at], limits: { bytesPerConnection: 200_000 } });
    const { socket } = await stage.tunnel(upstream.at);
    expect((await text(socket)).length).toBeLessThanOrEqual(200_000);
    await soon(() => stage.records).toHaveLength(1);
  });

  test("on time ends every tunnel that says nothing", async () => {
    await using upstream = await Upstream.tcp(() => undefined);
    await using stage = await EgressStage.open({ allow: [upstream.at], limits: { idleMs: 2_000 } });
    const { socket } = await stage.tunnel(upstream.at);
    expect(await text(socket)).toBe("");
    const idle = await stage.tunnel(upstream.at);
    expect(await text(idle.socket)).toBe("");
  });

  test("on connections in all is stated to those beyond it", async () => {
    await using upstream = await echo();
    await using stage = await EgressStage.open({ allow: [upstream.at], limits: { connections: 2 } });
    const heads = [await stage.tunnel(upstream.at), await stage.tunnel(upstream.at)].map(({ head }) =>
      head.slice(9, 12),
    );
    const third = await stage.raw(`CONNECT ${upstream.at} HTTP/1.1\r\n\r\n`).catch(() => "ended");
    expect([...heads, third]).toEqual(["200", "200", expect.stringMatching(/^HTTP\/1\.1 503 no more connections/)]);
  });
});
