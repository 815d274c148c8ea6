import { createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { noProxies, proxyFor } from "../../runner/egress/upstream-proxy.js";
import { EgressStage, listening, Upstream } from "./egress-stage.js";

/** A proxy like a company's, which leads every name to one place. */
async function companyProxy(to: Upstream, asked: unknown[]) {
  const server = createServer().on("connect", ({ url, headers }, client) => {
    asked.push([url, headers["proxy-authorization"]]);
    const upstream = connect(to.port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\nVia: it\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
  });
  return new Upstream(await listening(server), "127.0.0.1");
}

test("the person's own proxy is given the host's name, and resolves it itself", async () => {
  await using upstream = await Upstream.tcp((socket) => void socket.pipe(socket));
  const asked: unknown[] = [];
  await using company = await companyProxy(upstream, asked);
  const proxies = { ...noProxies, https: `http://ada:s%3Acret@${company.at}` };
  const resolve = () => Promise.reject(new Error("nobody resolves a name that the proxy resolves"));
  await using stage = await EgressStage.open({ allow: ["one.example"], proxies, resolve });
  const { head, socket } = await stage.tunnel("one.example:443");
  socket.end("hello");
  expect([head.split("\r\n")[0], await text(socket)]).toEqual(["HTTP/1.1 200 Connection established", "hello"]);
  expect(asked).toEqual([["one.example:443", `Basic ${Buffer.from("ada:s:cret").toString("base64")}`]]);
  expect(await stage.raw("CONNECT other.example:443 HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
  expect(asked).toHaveLength(1);
});

test.each([
  ["HTTP/1.1 407 Who are you\r\n\r\n", "the proxy said HTTP/1.1 407 Who are you"],
  ["nonsense\r\n\r\n", "the proxy said nonsense"],
  ["x".repeat(20_000), "the proxy did not answer as one"],
])("a proxy that answers %j counts as a host that was not reached", async (answer, why) => {
  await using company = await Upstream.tcp((socket) => void socket.on("error", () => undefined).write(answer));
  const proxies = { ...noProxies, https: `http://${company.at}` };
  await using stage = await EgressStage.open({ allow: ["one.example"], proxies });
  const refused = await stage.raw("CONNECT one.example:443 HTTP/1.1\r\n\r\n");
  expect(refused).toMatch(/^HTTP\/1\.1 502 one\.example:443 could not be reached: /);
  expect(refused).toContain(why);
});

test.each([
  ["one.example", 443, ["one.example"], null],
  ["a.one.example", 443, ["one.example"], null],
  ["a.one.example", 443, [".one.example"], null],
  ["a.one.example", 443, ["*.one.example"], null],
  ["one.example", 443, ["one.example:8443"], "https://p.example/"],
  ["notone.example", 443, ["one.example"], "https://p.example/"],
  ["one.example", 443, ["*"], null],
  ["one.example", 80, [], "http://q.example/"],
] as const)("%s at port %d with NO_PROXY %j goes through %s", (host, port, none, through) => {
  const settings = { https: "https://p.example", http: "http://q.example", none };
  expect(proxyFor({ host, port }, settings)?.href ?? null).toBe(through);
});
