import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadAssets } from "../../../cli/page/assets.js";
import { PageServer } from "../../../cli/page/server.js";
import { type HostPath, hostPath } from "../../../runner/base/ids.js";
import { pageFolder } from "../../helpers/compiled.js";
import { appendRaw, fiveTaskSession, type PageSession } from "../../helpers/page-session.js";
import { soon } from "../../helpers/soon.js";

let home: HostPath;
let session: PageSession;
let server: PageServer;
let port: number;
let token: string;
beforeAll(async () => {
  home = hostPath(realpathSync(mkdtempSync(join(tmpdir(), "tilth-page-"))));
  session = await fiveTaskSession(home);
  server = await PageServer.start({ store: session.store, assets: loadAssets(pageFolder()), mask: (text) => text });
  const address = new URL(server.address);
  port = Number(address.port);
  token = address.pathname.replaceAll("/", "");
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends exactly these bytes on a socket, and gives the answer until the other side closes or has said enough. */
function sent(bytes: string, enough = /\r\n\r\n[\s\S]*(<\/html>|\n\n)/): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const done = () => {
      socket.destroy();
      const [head = "", ...body] = text.split("\r\n\r\n");
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: body.join("\r\n\r\n") });
    };
    socket.setTimeout(30_000, done);
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      if (enough.test(text)) done();
    });
    socket.on("close", done).on("error", reject);
  });
}

const host = () => `Host: 127.0.0.1:${port}`;
const request = (line: string, ...headers: string[]) => `${[line, ...headers].join("\r\n")}\r\n\r\n`;
const asked = (target: string, ...headers: string[]) => sent(request(`GET ${target} HTTP/1.1`, host(), ...headers));

describe("the page server", () => {
  test("answers the list, a page and a stream, each with every safety header", async () => {
    const { id } = session.files;
    for (const target of [`/${token}/`, `/${token}/s/${id}/`, `/${token}/s/${id}/events`, `/${token}/events`]) {
      const { status, head } = await asked(target);
      expect([target, status]).toEqual([target, 200]);
      for (const header of [
        /^Content-Security-Policy: default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; .*frame-ancestors 'none'\r?$/m,
        /^Cache-Control: no-store\r?$/m,
        /^X-Content-Type-Options: nosniff\r?$/m,
        /^Referrer-Policy: no-referrer\r?$/m,
        /^Cross-Origin-Resource-Policy: same-origin\r?$/m,
        /^X-Frame-Options: DENY\r?$/m,
      ])
        expect(head).toMatch(header);
      expect(head).not.toMatch(/^Access-Control/im);
    }
  });

  test("answers to either name of this machine", async () => {
    expect((await sent(request(`GET /${token}/ HTTP/1.1`, `Host: localhost:${port}`))).status).toBe(200);
  });

  test("listens on this machine's own address alone", () => {
    expect(new URL(server.address).hostname).toBe("127.0.0.1");
    expect(token).toMatch(/^[\w-]{43}$/);
  });
});

type Case = readonly [what: string, bytes: () => string, status: number];
const get =
  (target: () => string, ...headers: string[]) =>
  () =>
    request(`GET ${target()} HTTP/1.1`, host(), ...headers);
const withHost =
  (...hosts: (() => string)[]) =>
  () =>
    request(`GET /${token}/ HTTP/1.1`, ...hosts.map((one) => `Host: ${one()}`));
const method = (name: string) => () => request(`${name} /${token}/ HTTP/1.1`, host(), "Content-Length: 0");
const page = (rest: string) => get(() => `/${token}${rest.replace("ID", session.files.id)}`);

const refused: readonly Case[] = [
  ["another's name", withHost(() => `evil.example:${port}`), 403],
  ["another's name that leads here", withHost(() => `127.0.0.1.evil.example:${port}`), 403],
  ["no port", withHost(() => "127.0.0.1"), 403],
  ["another port", withHost(() => "127.0.0.1:80"), 403],
  ["another spelling of the address", withHost(() => `127.1:${port}`), 403],
  ["IPv6", withHost(() => `[::1]:${port}`), 403],
  ["a name with a dot at its end", withHost(() => `localhost.:${port}`), 403],
  ["a name with a user", withHost(() => `x@127.0.0.1:${port}`), 403],
  ["no Host", withHost(), 403],
  [
    "two Hosts",
    withHost(
      () => `127.0.0.1:${port}`,
      () => "evil.example",
    ),
    403,
  ],
  ["no Host in an old version", () => `GET /${token}/ HTTP/1.0\r\n\r\n`, 403],
  ["no token", get(() => "/"), 403],
  ["no path", get(() => "*"), 403],
  ["a wrong token", get(() => `/${"A".repeat(43)}/`), 403],
  ["the token cut short", get(() => `/${token.slice(0, -1)}/`), 403],
  ["the token and more", get(() => `/${token}A/`), 403],
  ["the token in other letters", get(() => `/${token.toLowerCase()}${token.toUpperCase()}/`), 403],
  ["the token encoded", get(() => `/%${token.charCodeAt(0).toString(16)}${token.slice(1)}/`), 403],
  ["the token elsewhere", get(() => `/s/${token}/`), 403],
  ["the token as a parameter", get(() => `/?token=${token}`), 403],
  ["a page without a token", get(() => `/s/${session.files.id}/`), 403],
  ["an absolute address", get(() => `http://127.0.0.1:${port}/${token}/`), 403],
  ["an absolute address elsewhere", get(() => `http://evil.example/${token}/`), 403],
  ["two slashes in front", get(() => `//${token}/`), 403],
  ["a dot segment in front", get(() => `/./${token}/`), 403],
  ["POST", method("POST"), 405],
  ["PUT", method("PUT"), 405],
  ["DELETE", method("DELETE"), 405],
  ["OPTIONS", method("OPTIONS"), 405],
  ["HEAD", method("HEAD"), 405],
  ["TRACE", method("TRACE"), 405],
  ["CONNECT", () => request(`CONNECT 127.0.0.1:${port} HTTP/1.1`, host()), 405],
  ["no slash after the token", page(""), 404],
  ["an unknown path", page("/x"), 404],
  ["another file of a session", page("/s/ID/checkpoint.json"), 404],
  ["the session's log itself", page("/s/ID/events.jsonl"), 404],
  ["no slash after the session", page("/s/ID"), 404],
  ["a session that is not there", page("/s/20250101-000000-000000/"), 404],
  ["no id of a session", page("/s/x/"), 404],
  ["a dot segment", page("/../"), 404],
  ["a dot segment to another session", page("/s/../s/ID/"), 404],
  ["a dot as the session", page("/s/./"), 404],
  ["encoded dots", page("/s/%2e%2e/"), 404],
  ["an encoded slash", page("/s%2fID/"), 404],
  ["an encoded slash in a session", page("/s/..%2f..%2fetc/"), 404],
  ["a backslash", page("/s\\ID\\"), 404],
  ["two slashes", page("//s/ID/"), 404],
  ["two slashes within", page("/s//ID/"), 404],
  ["a parameter", page("/?x=1"), 404],
  ["a parameter on a stream", page("/s/ID/events?from=0"), 404],
  ["a fragment", page("/#x"), 404],
  ["an encoded NUL", page("/s/ID%00/"), 404],
  ["a long path", page(`/${"a/".repeat(3_000)}`), 404],
];

describe("a bad request", () => {
  test.each(refused)("is refused: %s", async (_, bytes, status) => {
    const answer = await sent(bytes());
    expect(answer.status).toBe(status);
    expect(answer.body.length).toBeLessThan(100);
    expect(answer.body).not.toContain(token);
    if (status === 405) expect(answer.head).toMatch(/^Allow: GET\r?$/m);
  });

  test.each([
    ["a naive look at the Host", (text: string) => text.includes(`Host: 127.0.0.1`), "another's name that leads here"],
    [
      "a naive look at the path's start",
      (text: string) => text.startsWith(`GET /${token}/`),
      "a dot segment to another session",
    ],
    ["a naive look for the token", (text: string) => text.includes(token), "the token as a parameter"],
    ["no look at the method", (text: string) => text.includes(`/${token}/ `), "POST"],
  ])("would be let in by %s", (_, naive, what) => {
    const [, bytes] = refused.find(([name]) => name === what) ?? [];
    expect(naive(bytes?.() ?? "")).toBe(true);
  });

  test.each([
    ["headers without an end", () => `GET /${token}/ HTTP/1.1\r\n${host()}\r\nX: ${"x".repeat(20_000)}`, 431],
    ["no HTTP", () => "hello\r\n\r\n", 400],
    [
      "a body of two lengths",
      () => request(`POST /${token}/ HTTP/1.1`, host(), "Content-Length: 1", "Transfer-Encoding: chunked"),
      400,
    ],
  ])("is refused as malformed: %s", async (_, bytes, status) => {
    expect((await sent(bytes())).status).toBe(status);
  });
});

describe("a stream", () => {
  const stream = () => `/${token}/s/${session.files.id}/events`;
  const idsIn = (body: string) => [...body.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const linesIn = (body: string) => body.match(/^data: \{"v":1/gm)?.length ?? 0;
  const twoMessages = /event: facts[\s\S]*\nid: \d+\n[\s\S]*\n\n/;
  const from = (last: string) =>
    sent(request(`GET ${stream()} HTTP/1.1`, host(), `Last-Event-ID: ${last}`), twoMessages);

  test("continues where its reader was, and from the start for an unknown place", async () => {
    const whole = await sent(request(`GET ${stream()} HTTP/1.1`, host()), twoMessages);
    const [end = 0] = idsIn(whole.body);
    const all = linesIn(whole.body);
    expect(all).toBeGreaterThan(200);
    appendRaw(session, '{"v":1,"seq":5000,"ts":"2025-01-01T00:00:00.000Z","type":"late","payload":{}}\n');
    const later = await from(String(end));
    expect([linesIn(later.body), later.body.includes('"seq":5000')]).toEqual([1, true]);
    for (const odd of ["-1", "x", "1e3", "99999999999999999999"]) expect(linesIn((await from(odd)).body)).toBe(all + 1);
  });

  test("sends a torn line only when it is complete", async () => {
    const { body } = await sent(request(`GET ${stream()} HTTP/1.1`, host()), twoMessages);
    const end = String(idsIn(body).at(-1));
    appendRaw(session, '{"v":1,"seq":5001,"ts":"2025-01-01T00:00');
    const waiting = from(end);
    await new Promise((resolve) => setTimeout(resolve, 600));
    appendRaw(session, ':00.000Z","type":"late","payload":{}}\n');
    expect(linesIn((await waiting).body)).toBe(1);
  });

  test("reads no further than its reader takes", async () => {
    const big = JSON.stringify({
      v: 1,
      seq: 6000,
      ts: "2025-01-01T00:00:00.000Z",
      type: "big",
      payload: { x: "x".repeat(1e6) },
    });
    for (let at = 0; at < 60; at += 1) appendRaw(session, `${big}\n`);
    const before = process.memoryUsage().rss;
    const sockets = Array.from({ length: 3 }, () => {
      const socket = connect(port, "127.0.0.1", () => socket.write(request(`GET ${stream()} HTTP/1.1`, host())));
      return socket.pause();
    });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const grown = (process.memoryUsage().rss - before) / 1024 ** 2;
    for (const socket of sockets) socket.destroy();
    expect(grown).toBeLessThan(60);
  });

  test("has a limit on its connections and closes those beyond it, so that no reader is kept out for ever", async () => {
    let closed = 0;
    const sockets = Array.from({ length: 80 }, () => connect(port, "127.0.0.1"));
    for (const socket of sockets)
      socket
        .on("error", () => undefined)
        .on("close", () => {
          closed += 1;
        });
    await soon(() => closed).toBe(16);
    for (const socket of sockets) socket.destroy();
  });
});
